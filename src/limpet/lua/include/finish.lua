-- Needs meta, cancelled, n_meta, n_cancelled; finish_plain, tell_done, leave, forget, obey, facts_of, list,
-- rouse_for_returned.

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
  finish_plain(plain)
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
  tell_done(#good)
end
