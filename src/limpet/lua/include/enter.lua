-- Needs jobs, waiting, front, scheduled, parked, running, meta, unique; note, join, followers, parked_as, int.
-- A job comes as a pair: how (JSON, or "" for a plain one) and payload.

local entries, fields = {}, {}

-- flush(): write the plain jobs gathered so far, in two calls.
local function flush()
  if #entries > 0 then
    redis.call("HSET", jobs, unpack(fields))
    redis.call("RPUSH", waiting, unpack(entries))
    entries, fields = {}, {}
  end
end

-- replace(id, how, payload): the twin keeps its place and gets the newer payload and time.
local function replace(id, how, payload)
  if redis.call("HEXISTS", running, id) == 1 then
    return "kept"
  end
  redis.call("HSET", jobs, id, payload)
  if how.due and redis.call("ZSCORE", scheduled, id) then
    redis.call("ZADD", scheduled, int(how.due), id)
  end
  return "replaced"
end

-- facts_from(how, place, ms): what must be kept about a new job.
local function facts_from(how, place, ms)
  local facts = { unique = how.unique, mode = how.mode, lock = how.lock, limit = how.limit, keep = how.keep }
  facts.group, facts.after, facts.needs = how.group, how.after, how.needs
  if how.id then
    facts.place, facts.enqueued = place, ms
  elseif how.front or how.after then
    facts.place = place
  end
  return facts
end

-- enter(id, how, payload, place, ms): write one new job that is not plain.
local function enter(id, how, payload, place, ms)
  local facts = facts_from(how, place, ms)
  redis.call("HSET", jobs, id, payload)
  note(id, facts)
  if how.unique then
    redis.call("HSET", unique, how.unique, id)
  end
  if how.group then
    join(how.group, id)
  end
  if how.after then
    redis.call("ZADD", parked, 0, parked_as(id, facts))
    followers[id] = facts
  elseif how.due and how.due > ms then
    redis.call("ZADD", scheduled, int(how.due), id)
  elseif how.front then
    redis.call("ZADD", front, int(place), id)
  else
    redis.call("RPUSH", waiting, how.id and id .. " " .. int(place) or id)
  end
end

-- push_one(id, how, payload, place, ms): answers the id and what became of it.
local function push_one(id, how, payload, place, ms)
  id = how.id or id
  how.due = how.at or (how.delay and ms + how.delay)
  if how.id and redis.call("HEXISTS", jobs, id) == 1 then
    return id, "kept"
  end
  local twin = how.unique and redis.call("HGET", unique, how.unique)
  -- A mark whose job is gone (somebody deleted keys by hand) must not refuse its payload for ever.
  if twin and redis.call("HEXISTS", jobs, twin) == 1 then
    return twin, how.twin == "replace" and replace(twin, how, payload) or "kept"
  end
  enter(id, how, payload, place, ms)
  return id, "created"
end
