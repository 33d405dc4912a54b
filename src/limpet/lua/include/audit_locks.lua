-- Needs jobs, running, locks, parked, front, suspects, n_front, n_suspects; facts_of, prefix, parked_as, has_room, unpark,
-- rouse, int, report, hint, scan, split, checks.
-- Checks who holds a lock and who waits for one.

function checks.locks()
  return scan("ZSCAN", locks, function(member, score)
    local lock, id = split(member)
    local holds = lock and redis.call("HEXISTS", running, id) == 1 and facts_of(id).lock == lock
    if holds and score ~= "0" and report("stray lock", member) then
      redis.call("ZADD", locks, 0, member)
    elseif not holds and report("stray lock", member) then
      redis.call("ZREM", locks, member)
      unpark(lock or "")
      rouse()
    end
  end)
end

-- is_first(member, lock): is it the next to be called?
local function is_first(member, lock)
  local group = prefix(lock)
  return redis.call("ZRANGEBYLEX", parked, "[" .. group, "[" .. group .. "\255", "LIMIT", 0, 1)[1] == member
end

-- parked: hints at locks that have room and the first who waits for each: somebody must have been called.
function checks.parked()
  return scan("ZSCAN", parked, function(member, score)
    local lock, rest = split(member)
    local id = string.sub(rest or "", 17)
    local facts = facts_of(id)
    if redis.call("HEXISTS", jobs, id) == 0 then
      if report("entry of no job", "parked " .. member) then
        redis.call("ZREM", parked, member)
      end
    elseif facts.lock ~= lock or parked_as(id, facts) ~= member then
      if report("job at a wrong place", id) then
        redis.call("ZREM", parked, member)
      end
    elseif score ~= "0" and report("job at a wrong place", id) then
      redis.call("ZADD", parked, 0, member)
    elseif has_room(facts) and is_first(member, lock) then
      hint(lock)
      hint(member)
    end
  end)
end

-- was_called(lock): does one that wants this lock stand in line? Not looked at if the line is long: a call too many is
-- harmless.
local function was_called(lock)
  if n_front + n_suspects > 1000 then
    return false
  end
  for _, line in ipairs({ front, suspects }) do
    for _, id in ipairs(redis.call("ZRANGE", line, 0, -1)) do
      if facts_of(id).lock == lock then
        return true
      end
    end
  end
  return false
end

-- uncalled: looks exactly at parked jobs whose lock seems to have room with nobody called. Answers how many it looked at.
function checks.uncalled()
  local many = math.min(#ARGV - 2, 10)
  for i = 3, many + 2 do
    local lock, rest = split(ARGV[i])
    local facts = facts_of(string.sub(rest or "", 17))
    local free = lock and lock == facts.lock and is_first(ARGV[i], lock) and has_room(facts)
    if free and not was_called(lock) and report("free lock with nobody called", lock) then
      unpark(lock)
      rouse()
    end
  end
  return int(many)
end
