#!lua flags=allow-oom
-- One look: take the next job, or else say what the oldest running one is doing.
-- Returns {"ready", hand-out}, {"timedout", {fence, ms, {id, payload, facts}}} (not taken, its delivery is
-- at least timeout_ms old), {"processing"}, {"none"}, {"paused"}, {"tend"} (call tend, then again), or {"lost"}.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, stats, sessions, lanes, wake, paused = unpack(KEYS)
local at, lane, seq, worker, burden, crash_limit, tended, timeout_ms = unpack(ARGV)
local count = 1
-- @include now clock session meta place lease grant wake marks door hand sift suspects take pop delivered takeover

local answered = recall()
if answered then
  return { answered[1], answered[2] and show_again(answered[2]) }
end

local us, ms = now(at)
load_clock()
local time = tick(ms)
local refused = refusal(worker, time, ms, tended)
if refused then
  save_clock()
  return { refused }
end
local record = pop(us, ms)
save_clock()
if record[1] == "popped" then
  return { "ready", show_again(remember(ms, { "ready", record[2] })[2]) }
end
local oldest = aged(tonumber(timeout_ms), 1, ms)[1]
if oldest then
  local raw = redis.call("HGET", meta, oldest.id) or ""
  return { "timedout", show(oldest.fence, oldest.at, { oldest.id }, { redis.call("HGET", jobs, oldest.id) }, { raw }) }
end
return { n_running > 0 and "processing" or "none" }
