-- Needs jobs, running, stats, events; look_at_lease, write_lease.

-- finish_plain(good): end jobs that are known to be plain, in a few calls.
local function finish_plain(good)
  if #good == 0 then
    return
  end
  local ids, per_lease, found = {}, {}, {}
  for i, receipt in ipairs(good) do
    ids[i] = receipt.id
    per_lease[receipt.fence] = (per_lease[receipt.fence] or 0) + 1
  end
  for fence, n in pairs(per_lease) do
    found[#found + 1] = look_at_lease(fence, n)
  end
  redis.call("HDEL", running, unpack(ids))
  redis.call("HDEL", jobs, unpack(ids))
  for _, lease in ipairs(found) do
    write_lease(lease)
  end
  redis.call("HINCRBY", stats, "completed", #ids)
end

-- tell_done(count): let those who listen know.
local function tell_done(count)
  if count > 0 then
    redis.call("PUBLISH", events, "done " .. count)
  end
end
