#!lua flags=allow-oom
-- Hand up to `count` jobs to a worker, under its lease.
-- Returns {"popped", {fence, ms, {id, payload, facts, ...}}, due_in_ms, more, draining},
-- {"none", due_in_ms, more, draining}, {"paused"}, {"tend"} (call tend, then pop again),
-- or {"lost"} if the worker was declared dead.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, workers, crew, stats, sessions, lanes, wake, paused = unpack(KEYS)
local at, lane, seq, worker, count, burden, crash_limit, tended = unpack(ARGV)
-- @include now session tick meta place lease wake marks door hand sift suspects take pop

local answered = recall()
if answered then
  return again(answered)
end

local us, ms = now(at)
local time = tick(ms)
local refused = refusal(worker, time, ms, tended)
if refused == "lost" then
  return { refused }
elseif refused then
  return remember(ms, { refused })
end
return first_time(remember(ms, pop(us, ms)))
