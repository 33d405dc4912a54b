-- Needs jobs, running, cancelled, trials, locks; facts_of, lease_of, lease_at, recount, unlock, delivered, prefix, report,
-- scan, split, bring_back, checks.
-- Checks the running jobs and what is noted of them while they run.

-- is_leased(id, fence): does the hand-out of this number list the job?
local function is_leased(id, fence)
  local _, _, _, ids = lease_at(fence)
  return string.find(" " .. (ids or "") .. " ", " " .. id .. " ", 1, true) ~= nil
end

-- check_notes(id, fence, facts): a running job holds its lock, and a suspect is on trial with its worker.
local function check_notes(id, fence, facts)
  local lock, trial = facts.lock and prefix(facts.lock) .. id, prefix((lease_of(fence))) .. id
  if lock and not redis.call("ZSCORE", locks, lock) and report("lock not noted", id) then
    redis.call("ZADD", locks, 0, lock)
  end
  if (facts.crashes or 0) > 0 and not redis.call("ZSCORE", trials, trial) and report("trial not noted", id) then
    redis.call("ZADD", trials, 0, trial)
  end
end

function checks.running()
  return scan("HSCAN", running, function(id, fence)
    local facts = facts_of(id)
    if redis.call("HEXISTS", jobs, id) == 0 then
      if report("entry of no job", "running " .. id) then
        redis.call("HDEL", running, id)
        unlock(id, facts)
        recount(fence)
      end
    elseif is_leased(id, fence) then
      check_notes(id, fence, facts)
    elseif report("delivery without a lease", id) then
      redis.call("HDEL", running, id)
      unlock(id, facts)
      delivered(facts, nil)
      bring_back(id, facts)
    end
  end)
end

function checks.cancelled()
  return scan("SSCAN", cancelled, function(id)
    if redis.call("HEXISTS", running, id) == 0 and report("stray cancel mark", id) then
      redis.call("SREM", cancelled, id)
    end
  end)
end

function checks.trials()
  return scan("ZSCAN", trials, function(member, score)
    local worker, id = split(member)
    local fence = id and redis.call("HGET", running, id)
    local runs = fence and lease_of(fence) == worker and (facts_of(id).crashes or 0) > 0
    if not runs then
      if report("stray trial", member) then
        redis.call("ZREM", trials, member)
      end
    elseif score ~= "0" and report("stray trial", member) then
      redis.call("ZADD", trials, 0, member)
    end
  end)
end
