-- Needs jobs, waiting, stats, wake, worker, count; grant, rouse.

-- living(entries, payloads, ids, items): add those that are no ghosts, as ids and as they are answered.
local function living(entries, payloads, ids, items)
  local before = #ids
  for i, id in ipairs(entries) do
    if payloads[i] then
      ids[#ids + 1] = id
      items[#items + 1], items[#items + 2], items[#items + 3] = id, payloads[i], ""
    end
  end
  local ghosts = #entries - (#ids - before)
  if ghosts > 0 then
    redis.call("HINCRBY", stats, "ghosts", -ghosts)
  end
  return ghosts
end

-- pop_plain(us, ms): take from the line when there is nothing but plain jobs; answers the record to
-- remember and the reply.
local function pop_plain(us, ms)
  local ids, items, entries, ghosts = {}, {}, {}, 0
  repeat
    entries = redis.call("LPOP", waiting, count - #ids) or {}
    local found = #entries > 0 and living(entries, redis.call("HMGET", jobs, unpack(entries)), ids, items) or 0
    ghosts = ghosts + found
  until found == 0 or ghosts > 100
  local behind = #entries > 0 and redis.call("LLEN", waiting) or 0
  if behind > 0 then
    rouse()
  elseif n_wake > 0 then
    redis.call("DEL", wake)
  end
  if #ids == 0 then
    local none = { "none", -1, behind > 0 and 1 or 0, 0 }
    return none, none
  end
  local fence = grant(worker, ids, us, ms)
  return { "popped", fence, -1, 0, 0 }, { "popped", { fence, ms, items }, -1, 0, 0 }
end

-- all_plain(time): nothing in the queue asks for more than that, and this worker may take.
local function all_plain(time)
  if n_meta + n_front + n_suspects + n_scheduled + n_trials > 0 or burden == "alone" then
    return false
  end
  local first, mine = redis.call("ZRANGE", workers, 0, 0, "WITHSCORES")[2], redis.call("ZSCORE", workers, worker)
  return mine and tonumber(first) >= time and redis.call("EXISTS", paused) == 0
end
