#!lua
-- Queue jobs with nothing special about them, left to right: what push does with them, in as few steps as can be. Each
-- argument behind the first four is a payload.
-- Returns {"range", born, ms, before, n}: their ids are ms-before+1 and on. born is 1 if the queue was not there before.

local clock, jobs, waiting, sessions, lanes, wake, paused = unpack(KEYS)
local at, lane, seq, events = unpack(ARGV)
-- @guard jobs
-- @include now session wake store number born

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local kept = redis.call("HMGET", clock, "ms", "seq", "stride", "dropped")
local count, before = #ARGV - 4, tonumber(kept[2]) or 0
local stem = int(math.max(ms, tonumber(kept[1]) or 0))
local ids, fields = number(stem .. "-", before, count), {}
for i, id in ipairs(ids) do
  fields[2 * i - 1], fields[2 * i] = id, ARGV[4 + i]
end
redis.call("RPUSH", waiting, unpack(ids)) -- the first write: fails if the key is of another type
store(jobs, fields)
redis.call("HSET", clock, "ms", stem, "seq", int(before + count))
local fresh = born(kept[1] or kept[3], kept[4])
rouse()
redis.call("PUBLISH", events, "work " .. count)
return remember(ms, { "range", fresh, stem, int(before), count })
