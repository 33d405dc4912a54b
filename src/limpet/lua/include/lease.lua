-- Needs leases, left, aging, held; prefix.
-- A lease is one hand-out: a worker, a time, and the ids it got. Its number is the fence: it only
-- grows, over all jobs of the queue, and a receipt is valid while the job runs under that number.

-- lease_of(fence): its worker, time (ms), number of ids, and the ids as text; nil if it is over.
local function lease_of(fence)
  local record = redis.call("HGET", leases, fence)
  local worker, at, count, ids = string.match(record or "", "^(%S+) (%d+) (%d+) (.*)$")
  return worker, tonumber(at), tonumber(count), ids
end

-- look_at_lease(fence, n): what is left of a hand-out once n of its ids ended, and whose it is.
local function look_at_lease(fence, n)
  local worker, _, count = lease_of(fence)
  local some_left = redis.call("HGET", left, fence)
  return { fence = fence, worker = worker, partly = some_left, rest = (tonumber(some_left) or count or n) - n }
end

-- write_lease(lease): note what is left of a hand-out; the last one closes it.
local function write_lease(lease)
  if lease.rest > 0 then
    redis.call("HSET", left, lease.fence, lease.rest)
    return
  end
  redis.call("HDEL", leases, lease.fence)
  redis.call("ZREM", aging, lease.fence)
  if lease.partly then
    redis.call("HDEL", left, lease.fence)
  end
  if lease.worker then
    redis.call("ZREM", held, prefix(lease.worker) .. lease.fence)
  end
end

-- settle(fence, n): n ids of a hand-out ended.
local function settle(fence, n)
  write_lease(look_at_lease(fence, n))
end
