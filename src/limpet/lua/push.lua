#!lua
-- Queue jobs, left to right; each is a pair of how (JSON, or "" for a plain one) and payload.
-- Returns {"range", born, ms, before, n} when all are plain (their ids are ms-before+1 and on),
-- else {"pushed", born, id, what, ...} with what = created | kept | replaced.
-- born is 1 if the queue was not there before.

local clock, jobs, waiting, front, scheduled, running, meta, unique, stats, sessions, lanes, wake, paused = unpack(KEYS)
local at, lane, seq, events = unpack(ARGV)
-- @include now session mint meta wake enter push_all

local answered = recall()
if answered then
  return answered
end

local hows = parse(5)
local _, ms = now(at)
return remember(ms, push_all(hows, 5, ms))
