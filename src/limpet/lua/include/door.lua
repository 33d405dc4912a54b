-- Needs workers, crew, scheduled, n_paused; int.

-- due_in(ms): milliseconds until the next scheduled job is due; -1 if there is none.
local function due_in(ms)
  local next_due = redis.call("ZRANGE", scheduled, 0, 0, "WITHSCORES")[2]
  return next_due and math.max(tonumber(next_due) - ms, 0) or -1
end

-- overdue(time, ms): is there a scheduled job to bring in, or a dead worker to clear away?
local function overdue(time, ms)
  if due_in(ms) == 0 then
    return true
  end
  local ended = redis.call("ZRANGE", workers, 0, 0, "WITHSCORES")[2]
  return ended and tonumber(ended) < time
end

-- renew_lease(worker, time): the lease runs anew from now; answers false for a worker declared dead.
local function renew_lease(worker, time)
  local lease_end = redis.call("ZSCORE", workers, worker)
  if not lease_end or lease_end == "-inf" then
    return false
  end
  local fine, info = pcall(cjson.decode, redis.call("HGET", crew, worker) or "{}")
  local lease_ms = fine and tonumber(info.lease_ms) or 10000
  redis.call("ZADD", workers, lease_ms < 0 and "+inf" or int(time + lease_ms), worker)
  return true
end

-- refusal(worker, time, ms, tended): why this worker gets nothing now; nil if it may take jobs.
-- A worker that was slow but not yet declared dead holds all it had: calling proves that it lives.
local function refusal(worker, time, ms, tended)
  local lease_end = redis.call("ZSCORE", workers, worker)
  if not lease_end or lease_end == "-inf" then
    return "lost"
  end
  if tonumber(lease_end) < time then
    renew_lease(worker, time)
  end
  if tended == "" and overdue(time, ms) then
    return "tend"
  end
  return n_paused > 0 and "paused" or nil
end
