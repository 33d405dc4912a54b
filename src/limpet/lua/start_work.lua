#!lua flags=allow-oom
-- Register a worker with a queue; its lease runs from now. lease_ms below zero is a permanent lease.
-- stride_ms bounds how far the queue clock moves per call: the shortest of all workers counts.
-- Returns {"started", born}; born is 1 if the queue was not there before.

local clock, workers, crew, sessions, lanes = unpack(KEYS)
local at, lane, seq, worker, lease_ms, stride_ms, info = unpack(ARGV)
-- @include now clock born session

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local fresh = born(load_clock(), kept[4])
local stride = n_workers > 0 and tonumber(kept[3])
kept[3] = int(math.min(stride or tonumber(stride_ms), tonumber(stride_ms)))
change("stride", kept[3])
local time = tick(ms)
save_clock()
redis.call("ZADD", workers, tonumber(lease_ms) < 0 and "+inf" or int(time + lease_ms), worker)
redis.call("HSET", crew, worker, info)
return remember(ms, { "started", fresh })
