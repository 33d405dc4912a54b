-- Needs cursor, mending, clock, running, leases, left, aging, held, workers; lease_of, prefix, report, enlist, checks.
-- Checks the hand-outs and what is kept to find them: by age, by worker, and how many jobs are left of each.

-- lease_at(fence): as lease_of, for a number that may be none.
local function lease_at(fence)
  if string.match(fence, "^%d+$") and #fence <= 16 then
    return lease_of(fence)
  end
end

-- close(fence, worker): forget a hand-out.
local function close(fence, worker)
  redis.call("HDEL", leases, fence)
  redis.call("HDEL", left, fence)
  redis.call("ZREM", aging, fence)
  redis.call("ZREM", held, prefix(worker or "") .. fence)
end

-- still_running(fence, ids): how many jobs of a hand-out still run under it.
local function still_running(fence, ids)
  local seen, many = {}, 0
  for id in string.gmatch(ids, "%S+") do
    if not seen[id] and redis.call("HGET", running, id) == fence then
      many = many + 1
    end
    seen[id] = true
  end
  return many
end

-- recount(fence): make what is left of a hand-out right; answers true if it was not.
local function recount(fence)
  local worker, _, count, ids = lease_at(fence)
  local many = worker and still_running(fence, ids)
  local noted = redis.call("HGET", left, fence)
  if not worker or many == (tonumber(noted or count) or -1) then
    return false
  end
  if mending and many > 0 then
    redis.call("HSET", left, fence, many)
  elseif mending then
    close(fence, worker)
  end
  return true
end

-- check_index(fence, worker): it can be found by age and by worker, and its worker is known.
local function check_index(fence, worker)
  local by_age, by_worker = redis.call("ZSCORE", aging, fence), redis.call("ZSCORE", held, prefix(worker) .. fence)
  if (tonumber(by_age) ~= tonumber(fence) or by_worker ~= "0") and report("lease not indexed", fence) then
    redis.call("ZADD", aging, fence, fence)
    redis.call("ZADD", held, 0, prefix(worker) .. fence)
  end
  if not redis.call("ZSCORE", workers, worker) and report("lease of no worker", worker) then
    enlist(worker)
  end
  if tonumber(fence) > (tonumber(redis.call("HGET", clock, "fence")) or 0) and report("clock behind", "fence") then
    redis.call("HSET", clock, "fence", fence)
  end
end

function checks.leases()
  local step = redis.call("HSCAN", leases, cursor, "COUNT", 10)
  for i = 1, #step[2], 2 do
    local fence = step[2][i]
    local worker, _, _, ids = lease_at(fence)
    if not worker or still_running(fence, ids) == 0 then
      if report("lease of no delivery", fence) then
        close(fence, worker)
      end
    else
      if recount(fence) then
        report("wrong rest of a lease", fence)
      end
      check_index(fence, worker)
    end
  end
  return step[1]
end
