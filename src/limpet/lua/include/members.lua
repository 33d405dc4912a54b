-- Needs members; prefix.

-- has_members(group): is there a member that has not ended?
local function has_members(group)
  local stem = prefix(group)
  return redis.call("ZLEXCOUNT", members, "[" .. stem, "[" .. stem .. "\255") > 0
end
