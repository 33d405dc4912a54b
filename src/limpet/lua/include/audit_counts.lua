-- Needs clock, stats, sessions, lanes, n_jobs, n_waiting, n_front, n_suspects, n_scheduled, n_parked, n_running,
-- n_dead, n_lanes, n_wake, n_paused; int, rouse, report, scan, checks.
-- Checks what belongs to the queue as a whole: its clock, its counters, its memory of requests, its wake-up token.

-- check_expiry(): no key goes away by itself, but the last three of a dropped queue.
local function check_expiry()
  local dropped = redis.call("HEXISTS", clock, "dropped") == 1
  if dropped and n_jobs > 0 and report("queue marked as dropped", clock) then
    redis.call("HDEL", clock, "dropped")
  end
  for _, key in ipairs(KEYS) do
    local leaving = dropped and n_jobs == 0 and (key == clock or key == sessions or key == lanes)
    if not leaving and redis.call("PTTL", key) >= 0 and report("key that expires", key) then
      redis.call("PERSIST", key)
    end
  end
end

function checks.clock()
  check_expiry()
  for _, name in ipairs({ "ms", "seq", "fence", "tick", "seen", "stride" }) do
    local value = redis.call("HGET", clock, name)
    local fine = not value or (string.match(value, "^%d+$") and (name ~= "stride" or tonumber(value) > 0))
    if not fine and report("unreadable clock", name) then
      redis.call("HDEL", clock, name)
    end
  end
  return "0"
end

function checks.stats()
  return scan("HSCAN", stats, function(name, value)
    local fine = string.match(value, "^%d+$") and #value <= 15
    if not fine and name ~= "ghosts" and report("unreadable counter", name) then
      redis.call("HDEL", stats, name)
    elseif not string.match(value, "^-?%d+$") and report("unreadable counter", name) then
      redis.call("HDEL", stats, name)
    end
  end)
end

function checks.sessions()
  return scan("HSCAN", sessions, function(lane, record)
    local answer = string.match(record, "^%d+ %d+ (.*)$")
    local fine, value = pcall(cjson.decode, answer or "")
    if not fine or type(value) ~= "table" then
      if report("unreadable session", lane) then
        redis.call("HDEL", sessions, lane)
      end
    elseif n_lanes <= 5000 and not redis.call("LPOS", lanes, lane) and report("session never forgotten", lane) then
      redis.call("RPUSH", lanes, lane)
    end
  end)
end

-- ghosts: with every job in one place, what the line is too long by must be the ids that removed jobs left.
function checks.ghosts()
  local in_line = n_jobs - n_running - n_dead - n_scheduled - n_front - n_suspects - n_parked
  local ghosts, noted = n_waiting - in_line, redis.call("HGET", stats, "ghosts")
  if ghosts ~= (tonumber(noted or 0) or -1) and report("wrong count of ghosts", noted or "0") then
    redis.call("HSET", stats, "ghosts", int(math.max(ghosts, 0)))
  end
  return "0"
end

-- wake: jobs can be had and nobody was called. Whoever took the token just now may be on the way: look twice.
function checks.wake()
  if n_wake == 0 and n_paused == 0 and n_waiting + n_front > 0 and report("no wake-up", "wake") then
    rouse()
  end
  return "0"
end
