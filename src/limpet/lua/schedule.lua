#!lua
-- Write a schedule. One that is the same as before keeps its next fire time; a new or changed one fires at next_ms.
-- Returns {"scheduled", "new" | "changed" | "same"}.

local schedules, firing, sessions, lanes = unpack(KEYS)
local at, lane, seq, schedule, spec, next_ms = unpack(ARGV)
-- @include now session record

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local last, known = record_of(schedule)
local what = known == spec and "same" or known and "changed" or "new"
if what ~= "same" or not redis.call("ZSCORE", firing, schedule) then
  keep_record(schedule, last, spec)
  redis.call("ZADD", firing, next_ms, schedule)
end
return remember(ms, { "scheduled", what })
