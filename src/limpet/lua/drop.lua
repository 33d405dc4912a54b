#!lua flags=allow-oom
-- Drop the whole queue, running jobs included. What stays for an hour are the clock and the memory of
-- requests, so that a late copy of an earlier request cannot bring anything back; living workers stay.
-- Returns {"dropped", 1 if there was something, else 0}.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, dead, failures, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members, schedules, firing = unpack(KEYS)
local at, lane, seq, events = unpack(ARGV)
-- @include now clock session retire

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local there = load_clock() and redis.call("HSETNX", clock, "dropped", "1") or 0
for _, worker in ipairs(redis.call("ZRANGEBYSCORE", workers, "-inf", "(" .. int(tick(ms)))) do
  redis.call("ZREM", workers, worker)
  redis.call("HDEL", crew, worker)
end
save_clock()
redis.call("UNLINK", jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta)
redis.call("UNLINK", unique, locks, trials, cancelled, dead, failures, stats, wake, paused, results, expiring, notes, groups, members, schedules, firing)
redis.call("PUBLISH", events, "delete")
local answer = remember(ms, { "dropped", there })
retire()
return answer
