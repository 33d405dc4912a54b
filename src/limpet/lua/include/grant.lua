-- Needs running, leases, aging, held; next_fence, int, prefix.

-- grant(worker, ids, us, ms): hand ids to a worker; answers the fence.
local function grant(worker, ids, us, ms)
  local fence = next_fence(us)
  local pairs = {}
  for i, id in ipairs(ids) do
    pairs[2 * i - 1], pairs[2 * i] = id, fence
  end
  redis.call("HSET", running, unpack(pairs))
  redis.call("HSET", leases, fence, worker .. " " .. int(ms) .. " " .. #ids .. " " .. table.concat(ids, " "))
  redis.call("ZADD", aging, fence, fence)
  redis.call("ZADD", held, 0, prefix(worker) .. fence)
  return fence
end
