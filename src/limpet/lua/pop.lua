#!lua flags=allow-oom
-- Hand up to `count` jobs to a worker, under its lease.
-- Returns {"popped", {fence, ms, {ids}, {payloads}, {facts}}, due_in_ms, more, draining},
-- {"none", due_in_ms, more, draining}, {"paused"}, {"tend"} (call tend, then pop again),
-- or {"lost"} if the worker was declared dead.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, workers, crew, stats, sessions, lanes, wake, paused = unpack(KEYS)
local at, lane, seq, worker, count, burden, crash_limit, tended = unpack(ARGV)
-- @guard jobs running leases aging held stats
-- @include now clock session place store grant wake pop_plain

local answered = recall()
local us, ms = now(at)
load_clock()
local time = tick(ms)
if not answered and all_plain(time) then
  local record, reply = pop_plain(us, ms)
  save_clock()
  remember(ms, record)
  return reply
end
-- @guard waiting front suspects scheduled parked left meta unique locks trials crew paused
-- @include meta lease marks door hand sift suspects aside known take pop

if answered then
  return again(answered)
end
local refused = refusal(worker, time, ms, tended)
if refused then
  save_clock()
  return refused == "lost" and { refused } or remember(ms, { refused })
end
local record = remember(ms, pop(us, ms))
save_clock()
return first_time(record, ms)
