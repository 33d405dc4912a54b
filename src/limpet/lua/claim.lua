#!lua flags=allow-oom
-- One look: take the next job, or else say what the oldest running one is doing.
-- Returns {"ready", hand-out}, {"timedout", {fence, ms, {id}, {payload}, {facts}}} (not taken, its delivery is
-- at least timeout_ms old), {"processing"}, {"none"}, {"paused"}, {"tend"} (call tend, then again), or {"lost"}.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, stats, sessions, lanes, wake, paused = unpack(KEYS)
local at, lane, seq, worker, burden, crash_limit, tended, timeout_ms = unpack(ARGV)
local count = 1
-- @include now clock session meta place lease store grant wake marks door hand sift suspects aside known take pop delivered takeover

-- answer(record): the reply to this request, the first time and again; a delivery that is over by then is none.
local function answer(record)
  if record[1] ~= "ready" and record[1] ~= "timedout" then
    return record
  end
  local shown = show_again(record[2], record[3])
  return #shown[3] > 0 and { record[1], shown } or { "none" }
end

local answered = recall()
if answered then
  return answer(answered)
end

local us, ms = now(at)
load_clock()
local time = tick(ms)
local refused = refusal(worker, time, ms, tended)
if refused == "lost" then
  save_clock()
  return { refused }
end
local record = refused and { refused } or pop(us, ms)
save_clock()
local oldest = record[1] == "none" and aged(tonumber(timeout_ms), 1, ms)[1]
if record[1] == "popped" then
  record = { "ready", record[2] }
elseif oldest then
  record = { "timedout", oldest.fence, oldest.id }
elseif not refused then
  record = { n_running > 0 and "processing" or "none" }
end
return answer(remember(ms, record))
