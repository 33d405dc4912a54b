#!lua flags=allow-oom
-- End jobs as done; receipts are pairs of id and fence.
-- Returns {"acked", {positions of those that were not}}: stale receipts, and jobs that were cancelled meanwhile.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, stats, sessions, lanes, wake, paused = unpack(KEYS)
local at, lane, seq, events = unpack(ARGV)
-- @include now session meta place lease wake marks evict delivered leave receipts finish

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local good, stale = valid(5)
finish(good, stale)
return remember(ms, { "acked", stale })
