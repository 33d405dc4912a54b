#!lua flags=allow-oom
-- End jobs as done and hand out new ones in the same step; receipts are hand-outs: fence, number of
-- ids, ids.
-- Returns what pop returns, with the positions of receipts not acked as the last part: {"popped",
-- hand-out, due_in_ms, more, draining, {positions}}, {"none", due_in_ms, more, draining, {positions}},
-- {"paused", {positions}}, {"tend", {positions}} (the acks are done: go on with tend and pop), or
-- {"lost"} with nothing done.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, events, worker, count, burden, crash_limit = unpack(ARGV)
-- @guard jobs waiting running leases aging held stats
-- @include now clock session place lease receipts finish_plain finish_whole store grant wake pop_plain

local answered = recall()
local us, ms = now(at)
load_clock()
local time = tick(ms)
if not answered and all_plain(time, cancelled) then
  local stale = finish_all_plain(9)
  local record, reply = pop_plain(us, ms)
  save_clock()
  record[#record + 1], reply[#reply + 1] = stale, record ~= reply and stale or nil
  remember(ms, record)
  return reply
end
-- @guard front suspects scheduled parked left meta unique locks trials cancelled crew paused results expiring notes groups members
-- @include meta marks outcome members over leave finish door hand sift suspects aside known take pop

if answered then
  return again(answered)
end
local refused = refusal(worker, time, ms, "")
if refused == "lost" then
  save_clock()
  return { refused }
end
local good, stale = valid(9, 0)
finish(good, stale)
if refused then
  save_clock()
  return remember(ms, { refused, stale })
end
n_meta, n_suspects, n_trials = redis.call("HLEN", meta), redis.call("ZCARD", suspects), redis.call("ZCARD", trials)
local record = pop(us, ms)
record[record[1] == "popped" and 6 or 5] = stale
save_clock()
return first_time(remember(ms, record), ms)
