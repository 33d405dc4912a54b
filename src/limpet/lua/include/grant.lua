-- Needs running, leases, aging, held; store, next_fence, int, prefix.

-- grant(worker, ids, us, ms): hand ids to a worker; answers the fence.
local function grant(worker, ids, us, ms)
  local fence = next_fence(us)
  local fields = {}
  for i, id in ipairs(ids) do
    fields[2 * i - 1], fields[2 * i] = id, fence
  end
  store(running, fields)
  redis.call("HSET", leases, fence, worker .. " " .. int(ms) .. " " .. #ids .. " " .. table.concat(ids, " "))
  redis.call("ZADD", aging, fence, fence)
  redis.call("ZADD", held, 0, prefix(worker) .. fence)
  return fence
end
