#!lua flags=allow-oom
-- Hand jobs that were delivered at least older_ms ago and not ended to the caller, oldest first.
-- Returns {"popped", {fence, ms, {ids}, {payloads}, {facts}}}, {"none"}, or {"lost"}.

local clock, jobs, running, leases, left, aging, held, meta, trials, cancelled, workers, stats, sessions, lanes = unpack(KEYS)
local at, lane, seq, worker, count, older_ms = unpack(ARGV)
-- @include now clock session meta place lease store grant hand delivered takeover

local answered = recall()
if answered then
  return answered[1] == "popped" and { "popped", show_again(answered[2]) } or answered
end

local us, ms = now(at)
if (redis.call("ZSCORE", workers, worker) or "-inf") == "-inf" then
  return { "lost" }
end
load_clock()
local found = aged(tonumber(older_ms), tonumber(count), ms)
if #found == 0 then
  return remember(ms, { "none" })
end
local record = remember(ms, { "popped", takeover(worker, found, us, ms) })
save_clock()
return { "popped", show_again(record[2]) }
