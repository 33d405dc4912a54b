-- Needs jobs, running, aging, cancelled, trials, stats; lease_of, settle, grant, facts_of, note, delivered, prefix.

-- takeover(worker, found, us, ms): jobs that run elsewhere (id and fence each) go to this worker under a
-- new fence; their lock and their unique key stay with them. Answers the fence.
local function takeover(worker, found, us, ms)
  local ids = {}
  for i, job in ipairs(found) do
    local owner, started_ms = lease_of(job.fence)
    local facts = facts_of(job.id)
    settle(job.fence, 1)
    delivered(facts, started_ms)
    note(job.id, facts)
    if (facts.crashes or 0) > 0 then
      redis.call("ZREM", trials, prefix(owner or "") .. job.id)
      redis.call("ZADD", trials, 0, prefix(worker) .. job.id)
    end
    ids[i] = job.id
  end
  redis.call("HINCRBY", stats, "recovered", #ids)
  return grant(worker, ids, us, ms)
end

-- aged(older_ms, count, ms): running jobs delivered at least that long ago, oldest first.
local function aged(older_ms, count, ms)
  local found = {}
  for _, fence in ipairs(redis.call("ZRANGE", aging, 0, count + 99)) do
    local _, started_ms, _, ids = lease_of(fence)
    if started_ms and ms - started_ms < older_ms then
      break
    end
    for id in string.gmatch(ids or "", "%S+") do
      if #found == count then
        return found
      end
      local there = redis.call("HGET", running, id) == fence and redis.call("HEXISTS", jobs, id) == 1
      if there and redis.call("SISMEMBER", cancelled, id) == 0 then
        found[#found + 1] = { id = id, fence = fence, at = started_ms }
      end
    end
  end
  return found
end
