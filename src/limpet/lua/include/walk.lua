-- Needs running; lease_of.

-- collector(first, last): a function that is shown ids one by one, keeps those whose positions are
-- asked for, and answers true once it has them all.
local function collector(first, last, found)
  local position = -1
  return function(id)
    position = position + 1
    if position >= first then
      found[#found + 1] = { id }
    end
    return position >= last
  end
end

-- show_lease(fence, show): show the ids that still run under a lease.
local function show_lease(fence, show)
  local _, _, _, ids = lease_of(fence)
  for id in string.gmatch(ids or "", "%S+") do
    if redis.call("HGET", running, id) == fence and show(id) then
      return true
    end
  end
end
