#!lua flags=allow-oom
-- Register a worker with a queue; its lease runs from now. lease_ms below zero is a permanent lease.
-- stride_ms bounds how far the queue clock moves per call: the shortest of all workers counts.
-- Returns {"started", born}; born is 1 if the queue was not there before.

local clock, workers, crew, sessions, lanes = unpack(KEYS)
local at, lane, seq, worker, lease_ms, stride_ms, info = unpack(ARGV)
-- @include now session tick

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local born = n_clock == 0 and 1 or redis.call("HDEL", clock, "dropped")
local stride = n_workers > 0 and tonumber(redis.call("HGET", clock, "stride"))
redis.call("HSET", clock, "stride", int(math.min(stride or tonumber(stride_ms), tonumber(stride_ms))))
local time = tick(ms)
if born == 1 then
  redis.call("PERSIST", clock)
  redis.call("PERSIST", sessions)
  redis.call("PERSIST", lanes)
end
redis.call("ZADD", workers, tonumber(lease_ms) < 0 and "+inf" or int(time + lease_ms), worker)
redis.call("HSET", crew, worker, info)
return remember(ms, { "started", born })
