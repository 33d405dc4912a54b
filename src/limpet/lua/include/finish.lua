-- Needs jobs, meta, running, cancelled, stats, suspects, events and their sizes; leave, forget, obey,
-- settle, decode, rouse.

-- finish_plain(good): end jobs that are known to be plain, in a few calls.
local function finish_plain(good)
  local ids, per_lease = {}, {}
  for i, receipt in ipairs(good) do
    ids[i] = receipt.id
    per_lease[receipt.fence] = (per_lease[receipt.fence] or 0) + 1
  end
  redis.call("HDEL", running, unpack(ids))
  redis.call("HDEL", jobs, unpack(ids))
  for fence, n in pairs(per_lease) do
    settle(fence, n)
  end
  redis.call("HINCRBY", stats, "completed", #ids)
end

-- finish(good, stale): end jobs as done; those that were cancelled meanwhile end so, and join stale.
local function finish(good, stale)
  if #good == 0 then
    return
  end
  if n_meta == 0 and n_cancelled == 0 then
    finish_plain(good)
  else
    for _, receipt in ipairs(good) do
      local facts = facts_of(receipt.id)
      leave(receipt.id, receipt.fence, facts)
      if obey(receipt.id, facts) then
        stale[#stale + 1] = receipt.position
      else
        forget(receipt.id, facts, "completed")
      end
    end
    rouse_for_returned()
  end
  redis.call("PUBLISH", events, "done " .. #good)
end
