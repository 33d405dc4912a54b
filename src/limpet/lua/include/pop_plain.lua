-- Needs jobs, waiting, stats, wake, worker, count, front, suspects, scheduled, trials, meta, paused; grant, rouse.

-- all_there(payloads): is none of them a ghost?
local function all_there(payloads)
  for _, payload in ipairs(payloads) do
    if not payload then
      return false
    end
  end
  return true
end

-- living(entries, payloads, ids, bodies): add those that are no ghosts; answers how many were.
local function living(entries, payloads, ids, bodies)
  local before = #ids
  for i, id in ipairs(entries) do
    if payloads[i] then
      ids[#ids + 1], bodies[#bodies + 1] = id, payloads[i]
    end
  end
  local ghosts = #entries - (#ids - before)
  redis.call("HINCRBY", stats, "ghosts", -ghosts)
  return ghosts
end

-- fetch(): the next ids of the line with their payloads, and whether there are more; passes over some 100 ghosts at most.
local function fetch()
  local ids, bodies, ghosts, found = {}, {}, 0, 0
  repeat
    local entries = redis.call("LPOP", waiting, count - #ids)
    if not entries or #entries == 0 then
      return ids, bodies, false
    end
    local payloads = redis.call("HMGET", jobs, unpack(entries))
    if #ids == 0 and all_there(payloads) then
      return entries, payloads, redis.call("LLEN", waiting) > 0
    end
    found = living(entries, payloads, ids, bodies)
    ghosts = ghosts + found
  until found == 0 or ghosts > 100
  return ids, bodies, redis.call("LLEN", waiting) > 0
end

-- pop_plain(us, ms): take from the line when there is nothing but plain jobs; answers the record to
-- remember and the reply. -1, 0, 0: nothing is scheduled, no more could be had, the worker need not run empty.
local function pop_plain(us, ms)
  local ids, payloads, behind = fetch()
  if behind then
    rouse()
  elseif n_wake > 0 then
    redis.call("DEL", wake)
  end
  if #ids == 0 then
    local none = { "none", -1, behind and 1 or 0, 0 }
    return none, none
  end
  local fence = grant(worker, ids, us, ms)
  return { "popped", fence, -1, 0, 0 }, { "popped", { fence, ms, ids, payloads, {} }, -1, 0, 0 }
end

-- all_plain(time, also): nothing in the queue asks for more than that, and this worker may take; `also` is one more key
-- that must not be there.
local function all_plain(time, also)
  if burden == "alone" or redis.call("EXISTS", meta, front, suspects, scheduled, trials, paused, also or paused) > 0 then
    return false
  end
  local first, mine = redis.call("ZRANGE", workers, 0, 0, "WITHSCORES")[2], redis.call("ZSCORE", workers, worker)
  return mine and tonumber(first) >= time
end
