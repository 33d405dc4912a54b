-- Needs clock, running, leases, left, aging, held, int, prefix.
-- A lease is one hand-out: a worker, a time, and the ids it got. Its number is the fence: it only
-- grows, over all jobs of the queue, and a receipt is valid while the job runs under that number.

-- grant(worker, ids, us, ms): hand ids to a worker; answers the fence.
local function grant(worker, ids, us, ms)
  local last = tonumber(redis.call("HGET", clock, "fence")) or 0
  local fence = int(math.max(us, last + 1))
  local pairs = {}
  for i, id in ipairs(ids) do
    pairs[2 * i - 1], pairs[2 * i] = id, fence
  end
  redis.call("HSET", clock, "fence", fence)
  redis.call("HSET", running, unpack(pairs))
  redis.call("HSET", leases, fence, worker .. " " .. int(ms) .. " " .. #ids .. " " .. table.concat(ids, " "))
  redis.call("ZADD", aging, fence, fence)
  redis.call("ZADD", held, 0, prefix(worker) .. fence)
  return fence
end

-- lease_of(fence): its worker, time (ms), number of ids, and the ids as text; nil if it is over.
local function lease_of(fence)
  local record = redis.call("HGET", leases, fence)
  local worker, at, count, ids = string.match(record or "", "^(%S+) (%d+) (%d+) (.*)$")
  return worker, tonumber(at), tonumber(count), ids
end

-- settle(fence, n): n ids of a hand-out ended; the last one closes it.
local function settle(fence, n)
  local worker, _, count = lease_of(fence)
  if not worker then
    return
  end
  local rest = (tonumber(redis.call("HGET", left, fence)) or count) - n
  if rest > 0 then
    redis.call("HSET", left, fence, rest)
  else
    redis.call("HDEL", leases, fence)
    redis.call("HDEL", left, fence)
    redis.call("ZREM", aging, fence)
    redis.call("ZREM", held, prefix(worker) .. fence)
  end
end
