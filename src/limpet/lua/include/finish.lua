-- Needs n_meta, n_cancelled, suspects, events; finish_plain, leave, forget, obey, facts_of, rouse_for_returned.

-- finish(good, stale): end jobs as done; those that were cancelled meanwhile end so, and join stale.
local function finish(good, stale)
  if n_meta == 0 and n_cancelled == 0 then
    return finish_plain(good)
  end
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
  if #good > 0 then
    redis.call("PUBLISH", events, "done " .. #good)
  end
end
