-- Needs held, running, leases; lease_of, prefix, facts_of, leave, delivered, obey.

-- hand_back(worker, limit, each): go through what a worker holds, oldest hand-out first; a job that was
-- cancelled ends, each(id, facts) says where any other goes. Answers how many, and whether more are left.
local function hand_back(worker, limit, each)
  local group, done = prefix(worker), 0
  local members = redis.call("ZRANGEBYLEX", held, "[" .. group, "[" .. group .. "\255", "LIMIT", 0, limit + 1)
  for _, member in ipairs(members) do
    local fence = string.sub(member, #group + 1)
    local _, started_ms, _, ids = lease_of(fence)
    for id in string.gmatch(ids or "", "%S+") do
      if redis.call("HGET", running, id) == fence then
        if done == limit then
          return done, true
        end
        local facts = facts_of(id)
        done = done + 1
        leave(id, fence, facts)
        delivered(facts, started_ms)
        if not obey(id, facts) then
          each(id, facts)
        end
      end
    end
    redis.call("ZREM", held, member)
    redis.call("ZREM", aging, fence)
    redis.call("HDEL", leases, fence)
    redis.call("HDEL", left, fence)
  end
  return done, #members > limit
end
