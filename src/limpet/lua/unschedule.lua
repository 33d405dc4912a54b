#!lua flags=allow-oom
-- Remove a schedule, if it is still the one that the sender saw (any with an empty spec). Jobs it pushed stay.
-- Returns {"unscheduled", 1 if it was removed, else 0}.

local schedules, firing, sessions, lanes = unpack(KEYS)
local at, lane, seq, schedule, spec = unpack(ARGV)
-- @include now session record

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local _, known = record_of(schedule)
local gone = known and (spec == "" or spec == known)
if gone then
  redis.call("HDEL", schedules, schedule)
  redis.call("ZREM", firing, schedule)
end
return remember(ms, { "unscheduled", gone and 1 or 0 })
