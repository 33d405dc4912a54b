-- Needs jobs, running, locks, parked; has_members, facts_of, note, line_up, prefix, parked_as, parked_id, has_room, unpark,
-- rouse, report, hint, scan, split, checks.
-- Checks who holds a lock and who waits for one.

function checks.locks()
  return scan("ZSCAN", locks, function(member, score)
    local lock, id = split(member)
    local holds = lock and redis.call("HEXISTS", running, id) == 1 and facts_of(id).lock == lock
    if holds and score ~= "0" and report("stray lock", member) then
      redis.call("ZADD", locks, 0, member)
    elseif not holds and report("stray lock", member) then
      redis.call("ZREM", locks, member)
      unpark(lock or "")
      rouse()
    end
  end)
end

-- is_first(member, lock): is it the next to be called?
local function is_first(member, lock)
  local group = prefix(lock)
  return redis.call("ZRANGEBYLEX", parked, "[" .. group, "[" .. group .. "\255", "LIMIT", 0, 1)[1] == member
end

-- check_follower(id, facts, member): the group it waits for must be there.
local function check_follower(id, facts, member)
  if not has_members(facts.after) and report("waits for no group", id) then
    redis.call("ZREM", parked, member)
    facts.after = nil
    note(id, facts)
    line_up(id, facts)
    rouse()
  end
end

-- parked: hints at locks that have room and the first who waits for each: somebody must have been called.
function checks.parked()
  return scan("ZSCAN", parked, function(member, score)
    local id = parked_id(member)
    local facts = facts_of(id)
    if redis.call("HEXISTS", jobs, id) == 0 then
      if report("entry of no job", "parked " .. member) then
        redis.call("ZREM", parked, member)
      end
    elseif parked_as(id, facts) ~= member then
      if report("job at a wrong place", id) then
        redis.call("ZREM", parked, member)
      end
    elseif score ~= "0" and report("job at a wrong place", id) then
      redis.call("ZADD", parked, 0, member)
    elseif facts.after then
      check_follower(id, facts, member)
    elseif not facts.task and has_room(facts) and is_first(member, facts.lock) then
      hint(facts.lock)
      hint(member)
    end
  end)
end
