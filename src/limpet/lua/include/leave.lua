-- Needs jobs, meta, running, scheduled, cancelled, trials, unique, stats; lease_of, settle, unlock, unmark, evict,
-- facts_of, note, line_up, place_of, prefix, int.

-- leave(id, fence, facts): the job stops running; its lease, its lock and its trial end.
local function leave(id, fence, facts)
  local worker = lease_of(fence)
  redis.call("HDEL", running, id)
  settle(fence, 1)
  if worker and (facts.crashes or 0) > 0 then
    redis.call("ZREM", trials, prefix(worker) .. id)
  end
  unlock(id, facts)
end

-- forget(id, facts, counter): the job is gone, and counted.
local function forget(id, facts, counter)
  redis.call("HDEL", jobs, id)
  redis.call("HDEL", meta, id)
  unmark(id, facts)
  redis.call("HINCRBY", stats, counter, 1)
end

-- obey(id, facts): a job that was cancelled while it ran ends as cancelled; answers whether it did.
local function obey(id, facts)
  if redis.call("SREM", cancelled, id) == 0 then
    return false
  end
  forget(id, facts, "cancelled")
  return true
end

-- twin_of(id, facts): the waiting job that took over this job's unique key meanwhile.
local function twin_of(id, facts)
  local twin = facts.unique and redis.call("HGET", unique, facts.unique)
  if twin and twin ~= id and redis.call("HEXISTS", running, twin) == 0 and facts_of(twin).unique == facts.unique then
    return twin
  end
end

-- put_back(id, facts): in line again. Of two twins in line the older keeps its place and the younger is
-- merged into it; one that waits for a later time gives way.
local function put_back(id, facts)
  local twin = twin_of(id, facts)
  if twin then
    local theirs = facts_of(twin)
    if place_of(twin, theirs) < place_of(id, facts) and not redis.call("ZSCORE", scheduled, twin) then
      forget(id, facts, "merged")
      return
    end
    evict(twin, theirs)
    redis.call("HINCRBY", stats, "merged", 1)
  end
  if facts.unique then
    redis.call("HSET", unique, facts.unique, id)
  end
  note(id, facts)
  line_up(id, facts)
end

-- put_off(id, facts, due): back for a later time; if a twin waits already, that one does the work.
local function put_off(id, facts, due)
  if twin_of(id, facts) then
    forget(id, facts, "merged")
    return
  end
  if facts.unique then
    redis.call("HSET", unique, facts.unique, id)
  end
  note(id, facts)
  redis.call("ZADD", scheduled, int(due), id)
end
