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

-- sort_out(good): those with nothing special about them, and the others.
local function sort_out(good)
  local ids, plain, special = {}, {}, {}
  for i, receipt in ipairs(good) do
    ids[i] = receipt.id
  end
  local raws = n_meta > 0 and redis.call("HMGET", meta, unpack(ids)) or {}
  local told = n_cancelled > 0 and redis.call("SMISMEMBER", cancelled, unpack(ids)) or {}
  for i, receipt in ipairs(good) do
    local group = (raws[i] or told[i] == 1) and special or plain
    group[#group + 1] = receipt
  end
  return plain, special
end

-- finish(good, stale): end jobs as done; those that were cancelled meanwhile end so, and join stale.
local function finish(good, stale)
  if #good == 0 then
    return
  end
  local plain, special = sort_out(good)
  if #plain > 0 then
    finish_plain(plain)
  end
  for _, receipt in ipairs(special) do
    local facts = facts_of(receipt.id)
    leave(receipt.id, receipt.fence, facts)
    if obey(receipt.id, facts) then
      list(receipt, stale)
    else
      forget(receipt.id, facts, "completed")
    end
  end
  if #special > 0 then
    rouse_for_returned()
  end
  redis.call("PUBLISH", events, "done " .. #good)
end
