#!lua flags=allow-oom
-- Take a timed-out delivery over; of many callers exactly one wins, and the old receipt is worthless.
-- Returns {"popped", hand-out}, {"none"} if it is over, taken by another, or not timed out, or {"lost"}.

local clock, jobs, running, leases, left, aging, held, meta, trials, cancelled, workers, stats, sessions, lanes = unpack(KEYS)
local at, lane, seq, worker, id, fence, timeout_ms = unpack(ARGV)
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
local _, started_ms = lease_of(fence)
local current = redis.call("HGET", running, id) == fence and started_ms
if not current or ms - started_ms < tonumber(timeout_ms) or redis.call("SISMEMBER", cancelled, id) == 1 then
  return remember(ms, { "none" })
end
local record = remember(ms, { "popped", takeover(worker, { { id = id, fence = fence } }, us, ms) })
save_clock()
return { "popped", show_again(record[2]) }
