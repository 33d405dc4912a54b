#!lua flags=allow-oom
-- Declare a worker dead: from now on its calls are refused, and tend returns what it holds.
-- Returns {"failed"}, or {"unknown"} if no such worker serves the queue.

local workers, sessions, lanes = unpack(KEYS)
local at, lane, seq, worker = unpack(ARGV)
-- @include now session

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
if not redis.call("ZSCORE", workers, worker) then
  return remember(ms, { "unknown" })
end
redis.call("ZADD", workers, "-inf", worker)
return remember(ms, { "failed" })
