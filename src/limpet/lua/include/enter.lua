-- Needs clock, jobs, waiting, front, scheduled, running, meta, unique, stats, sessions, lanes;
-- n_clock, events, mint, note, rouse, int.
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

-- enter(id, how, payload, place, ms): write one new job that is not plain.
local function enter(id, how, payload, place, ms)
  local facts = { unique = how.unique, mode = how.mode, lock = how.lock, limit = how.limit }
  if how.id then
    facts.place, facts.enqueued = place, ms
  elseif how.front then
    facts.place = place
  end
  redis.call("HSET", jobs, id, payload)
  note(id, facts)
  if how.unique then
    redis.call("HSET", unique, how.unique, id)
  end
  if how.due and how.due > ms then
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
  if twin then
    return twin, how.twin == "replace" and replace(twin, how, payload) or "kept"
  end
  enter(id, how, payload, place, ms)
  return id, "created"
end

-- parse(first): the jobs from argument `first` on; a wrong one fails here, before the first write.
local function parse(first)
  local hows = {}
  for i = first, #ARGV, 2 do
    hows[#hows + 1] = ARGV[i] ~= "" and cjson.decode(ARGV[i])
  end
  return hows
end

-- announce(born, created, kept, count): wake a worker, tell listeners, count the refused.
local function announce(born, created, kept, count)
  if born == 1 then
    redis.call("PERSIST", clock)
    redis.call("PERSIST", sessions)
    redis.call("PERSIST", lanes)
  end
  if kept < count then
    rouse()
  end
  if created > 0 then
    redis.call("PUBLISH", events, "work " .. created)
  end
  if kept > 0 then
    redis.call("HINCRBY", stats, "refused", kept)
  end
end

-- push_all(hows, first, ms): queue all jobs; answers them as {"range", ...} or {"pushed", ...}.
local function push_all(hows, first, ms)
  local born, count, plain = n_clock == 0 and 1 or redis.call("HDEL", clock, "dropped"), #hows, true
  local base, before = mint(ms, count)
  local answer, tally = { "pushed", born }, { created = 0, kept = 0, replaced = 0 }
  local stem = int(base) .. "-"
  for i, how in ipairs(hows) do
    local payload = ARGV[first + 2 * i - 1]
    local id, what = stem .. int(before + i), "created"
    if how then
      flush()
      plain = false
      local place = how.front and -(before + count + 1 - i) or before + i
      id, what = push_one(id, how, payload, place, ms)
    else
      entries[#entries + 1], fields[#fields + 1], fields[#fields + 2] = id, id, payload
    end
    tally[what] = tally[what] + 1
    answer[2 * i + 1], answer[2 * i + 2] = id, what
  end
  flush()
  announce(born, tally.created, tally.kept, count)
  return plain and { "range", born, int(base), int(before), count } or answer
end
