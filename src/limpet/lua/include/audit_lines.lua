-- Needs clock, jobs, dead, scheduled, suspects, front; facts_of, place_of, line_up, int, report, hint, scan, checks.
-- Checks the sorted places of jobs: dead, scheduled, suspects, front.

-- is_job(name, key, id): an entry must stand for a job.
local function is_job(name, key, id)
  if redis.call("HEXISTS", jobs, id) == 1 then
    return true
  end
  if report("entry of no job", name .. " " .. id) then
    redis.call("ZREM", key, id)
  end
end

function checks.dead()
  return scan("ZSCAN", dead, function(id)
    is_job("dead", dead, id)
  end)
end

function checks.scheduled()
  return scan("ZSCAN", scheduled, function(id, due)
    if is_job("scheduled", scheduled, id) and tonumber(due) >= 1e15 and report("never due", id) then
      redis.call("ZADD", scheduled, int(tonumber(redis.call("HGET", clock, "ms")) or 0), id)
    end
  end)
end

-- in_order(name, line, id, score): it stands in the right line at its place; hints at the lock it will ask for.
local function in_order(name, line, id, score)
  if not is_job(name, line, id) then
    return
  end
  local facts = facts_of(id)
  local home = (facts.crashes or 0) > 0 and suspects or front
  if (home ~= line or tonumber(score) ~= place_of(id, facts)) and report("job at a wrong place", id) then
    redis.call("ZREM", line, id)
    line_up(id, facts)
  end
  if facts.lock then
    hint(facts.lock)
  end
end

function checks.suspects()
  return scan("ZSCAN", suspects, function(id, score)
    in_order("suspects", suspects, id, score)
  end)
end

function checks.front()
  return scan("ZSCAN", front, function(id, score)
    in_order("front", front, id, score)
  end)
end
