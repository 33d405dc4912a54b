#!lua
-- Take the head of a plain list over into the queue: each job is a pair of how and payload, as the
-- sender read them. Those that are still the head of the list move, up to the first that is not.
-- Returns {"adopted", moved, answer of the push}, or {"changed"} if the head is another by now.

local clock, jobs, waiting, front, scheduled, parked, running, meta, unique, stats, sessions, lanes, wake, paused, members, source = unpack(KEYS)
local at, lane, seq, events = unpack(ARGV)
-- @guard jobs waiting front scheduled parked running meta unique stats members
-- @include now clock born session meta place wake members join enter push_all

local answered = recall()
if answered then
  return answered
end

local hows = parse(5)
local _, ms = now(at)
local head = redis.call("LRANGE", source, 0, #hows - 1)
for i = 1, #hows do
  if head[i] ~= ARGV[4 + 2 * i] then
    return remember(ms, { "changed" })
  end
end
local answer = push_all(hows, 5, ms)
redis.call("LTRIM", source, #hows, -1)
return remember(ms, { "adopted", #hows, answer })
