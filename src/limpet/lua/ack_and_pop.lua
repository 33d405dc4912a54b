#!lua flags=allow-oom
-- End jobs as done and hand out new ones in the same step; receipts are pairs of id and fence.
-- Returns what pop returns, with the positions of receipts not acked as the last part: {"popped", hand-out,
-- due_in_ms, more, draining, {positions}}, {"none", due_in_ms, more, draining, {positions}}, {"paused", {positions}},
-- {"tend", {positions}} (the acks are done: go on with tend and pop), or {"lost"} with nothing done.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, stats, sessions, lanes, wake, paused = unpack(KEYS)
local at, lane, seq, events, worker, count, burden, crash_limit = unpack(ARGV)
-- @include now session tick meta place lease wake marks evict delivered leave receipts finish door hand sift suspects take pop

local answered = recall()
if answered then
  return again(answered)
end

local us, ms = now(at)
local time = tick(ms)
local refused = refusal(worker, time, ms, "")
if refused == "lost" then
  return { refused }
end
local good, stale = valid(9)
finish(good, stale)
if refused then
  return remember(ms, { refused, stale })
end
n_meta, n_suspects, n_trials = redis.call("HLEN", meta), redis.call("ZCARD", suspects), redis.call("ZCARD", trials)
local record = pop(us, ms)
record[record[1] == "popped" and 6 or 5] = stale
return first_time(remember(ms, record))
