-- Needs front, parked, members; has_members, note, parked_as, prefix, int.
-- A job may be a member of a group, and another may follow it: it waits, parked, until all members ended.
local followers = {}

-- join(group, id): one member more to wait for.
local function join(group, id)
  redis.call("ZADD", members, 0, prefix(group) .. id)
end

-- let_go(): followers of groups that got no member need not wait.
local function let_go()
  for id, facts in pairs(followers) do
    if not has_members(facts.after) then
      redis.call("ZREM", parked, parked_as(id, facts))
      redis.call("ZADD", front, int(facts.place), id)
      facts.after, facts.tally = nil, { done = 0, failed = 0, cancelled = 0 }
      note(id, facts)
    end
  end
end
