#!lua
-- Queue jobs, left to right. With shape "plain" each argument is a payload; else each job is a pair of
-- how (JSON, or "" for a plain one) and payload.
-- Returns {"range", born, ms, before, n} when all are plain (their ids are ms-before+1 and on),
-- else {"pushed", born, id, what, ...} with what = created | kept | replaced.
-- born is 1 if the queue was not there before.

local clock, jobs, waiting, front, scheduled, parked, running, meta, unique, stats, sessions, lanes, wake, paused, members = unpack(KEYS)
local at, lane, seq, events, shape = unpack(ARGV)
-- @guard waiting jobs
-- @include now clock born session wake store number push_plain

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
if shape == "plain" then
  return remember(ms, push_plain(6, ms))
end
-- @guard front scheduled parked running meta unique stats members
-- @include meta place members join enter push_all
return remember(ms, push_all(parse(6), 6, ms))
