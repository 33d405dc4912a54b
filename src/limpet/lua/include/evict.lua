-- Needs jobs, meta, scheduled, front, suspects, parked, stats, notes; unmark, has_room, unpark, parked_as, ended.

-- evict(id, facts, why): take a job that does not run out of the queue, with its marks: it ends as cancelled. In the
-- list of waiting ids it leaves its id behind (a ghost), since finding it there would cost a scan.
local function evict(id, facts, why)
  local removed = redis.call("ZREM", scheduled, id) + redis.call("ZREM", front, id) + redis.call("ZREM", suspects, id)
  local member = parked_as(id, facts)
  local was_parked = member and redis.call("ZREM", parked, member) == 1
  if removed == 0 and not was_parked then
    redis.call("HINCRBY", stats, "ghosts", 1)
  end
  redis.call("HDEL", jobs, id)
  redis.call("HDEL", meta, id)
  if facts.noted then
    redis.call("HDEL", notes, id)
  end
  unmark(id, facts)
  if facts.lock and not was_parked and has_room(facts) then
    unpark(facts.lock)
  end
  ended(id, facts, "cancelled", why)
end
