#!lua flags=allow-oom
-- End jobs as done; receipts are hand-outs: fence, number of ids, ids.
-- Returns {"acked", {positions of those that were not}}: stale receipts, and jobs that were cancelled
-- meanwhile.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, events = unpack(ARGV)
-- @guard jobs aging held stats
-- @include now session place lease receipts finish_plain finish_whole

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
if redis.call("EXISTS", meta, cancelled) == 0 then
  return remember(ms, { "acked", finish_all_plain(5) })
end
-- @guard front suspects scheduled parked running leases left meta unique locks trials cancelled wake results expiring notes groups members
-- @include meta wake marks outcome members over leave finish
local good, stale = valid(5, 0)
finish(good, stale)
return remember(ms, { "acked", stale })
