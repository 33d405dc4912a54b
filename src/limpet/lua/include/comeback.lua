-- Needs scheduled, running, unique, stats; forget, evict, facts_of, note, line_up, place_of, int.
-- A job that ran comes back to the queue.
local MERGED = "merged into an identical job"

-- twin_of(id, facts): the waiting job that took over this job's unique key meanwhile.
local function twin_of(id, facts)
  local twin = facts.unique and redis.call("HGET", unique, facts.unique)
  if twin and twin ~= id and redis.call("HEXISTS", running, twin) == 0 and facts_of(twin).unique == facts.unique then
    return twin
  end
end

-- reclaim(id, facts): a job comes back and takes its unique key again. Of two twins in line the older keeps its place
-- and the younger is merged into it; one that waits for a later time gives way. Answers false if this one did.
local function reclaim(id, facts)
  local twin = twin_of(id, facts)
  if twin then
    local theirs = facts_of(twin)
    if place_of(twin, theirs) < place_of(id, facts) and not redis.call("ZSCORE", scheduled, twin) then
      forget(id, facts, "merged", MERGED)
      return false
    end
    evict(twin, theirs, MERGED)
    redis.call("HINCRBY", stats, "merged", 1)
  end
  if facts.unique then
    redis.call("HSET", unique, facts.unique, id)
  end
  note(id, facts)
  return true
end

-- put_back(id, facts): in line again.
local function put_back(id, facts)
  if reclaim(id, facts) then
    line_up(id, facts)
  end
end

-- put_off(id, facts, due): back for a later time; if a twin waits already, that one does the work.
local function put_off(id, facts, due)
  if twin_of(id, facts) then
    forget(id, facts, "merged", MERGED)
    return
  end
  if facts.unique then
    redis.call("HSET", unique, facts.unique, id)
  end
  note(id, facts)
  redis.call("ZADD", scheduled, int(due), id)
end
