-- Needs jobs, meta, scheduled, front, suspects, parked, stats; unmark, has_room, unpark, parked_as.

-- evict(id, facts): take a job that does not run out of the queue, with its marks. In the list of
-- waiting ids it leaves its id behind (a ghost), since finding it there would cost a scan.
local function evict(id, facts)
  local removed = redis.call("ZREM", scheduled, id) + redis.call("ZREM", front, id) + redis.call("ZREM", suspects, id)
  local was_parked = facts.lock and redis.call("ZREM", parked, parked_as(id, facts)) == 1
  if removed == 0 and not was_parked then
    redis.call("HINCRBY", stats, "ghosts", 1)
  end
  redis.call("HDEL", jobs, id)
  redis.call("HDEL", meta, id)
  unmark(id, facts)
  if facts.lock and not was_parked and has_room(facts) then
    unpark(facts.lock)
  end
end
