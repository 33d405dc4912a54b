-- Needs jobs, meta, unique, locks, parked, front, suspects; facts_of, prefix, place_of, parked_id, rouse, int.

-- unmark(id, facts): free the unique key, if this job is the one that holds it.
local function unmark(id, facts)
  if facts.unique and redis.call("HGET", unique, facts.unique) == id then
    redis.call("HDEL", unique, facts.unique)
  end
end

-- has_room(facts): may one more job with this lock run?
local function has_room(facts)
  local group = prefix(facts.lock)
  return redis.call("ZLEXCOUNT", locks, "[" .. group, "[" .. group .. "\255") < (facts.limit or 1)
end

-- line_up(id, facts): back in line at its old place; suspects have a line of their own.
local function line_up(id, facts)
  local line = (facts.crashes or 0) > 0 and suspects or front
  redis.call("ZADD", line, int(place_of(id, facts)), id)
end

-- unpark(lock): the first job that waits for this lock goes back to its place. An entry of no job is passed over, else
-- those behind it would never be called.
local function unpark(lock)
  local group = prefix(lock)
  for _, member in ipairs(redis.call("ZRANGEBYLEX", parked, "[" .. group, "[" .. group .. "\255", "LIMIT", 0, 10)) do
    local id = parked_id(member)
    redis.call("ZREM", parked, member)
    if redis.call("HEXISTS", jobs, id) == 1 then
      line_up(id, facts_of(id))
      return
    end
  end
end

-- unlock(id, facts): give the lock back and call the next one.
local function unlock(id, facts)
  if facts.lock then
    redis.call("ZREM", locks, prefix(facts.lock) .. id)
    unpark(facts.lock)
  end
end

-- rouse_for_returned(): if a job came back to its place, somebody may take it.
local function rouse_for_returned()
  if redis.call("ZCARD", front) + redis.call("ZCARD", suspects) > 0 then
    rouse()
  end
end
