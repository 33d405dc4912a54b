-- Needs clock, workers, crew; int, report, scan, checks.
-- Checks the workers: each has a record, and a lease that ends.

-- lease_length(worker): the length of its lease as its record says (ms); nil if that cannot be read.
local function lease_length(worker)
  local fine, info = pcall(cjson.decode, redis.call("HGET", crew, worker) or "")
  return fine and type(info) == "table" and tonumber(info.lease_ms) or nil
end

-- lease_end(length): when a lease ends that begins now.
local function lease_end(length)
  local time = tonumber(redis.call("HGET", clock, "tick")) or 0
  return length < 0 and math.huge or time + length
end

-- lease(worker, length): give it a lease from now on.
local function lease(worker, length)
  redis.call("ZADD", workers, length < 0 and "+inf" or int(lease_end(length)), worker)
end

-- record(worker, length): write its record anew; all that counts in it is the lease.
local function record(worker, length)
  redis.call("HSET", crew, worker, cjson.encode({ lease_ms = length }))
end

-- enlist(worker): let an unknown worker live for one lease. If it is dead, it will be found so, and what it holds returned.
local function enlist(worker)
  local length = lease_length(worker)
  if not length then
    record(worker, 10000)
  end
  lease(worker, length or 10000)
end

function checks.crew()
  return scan("HSCAN", crew, function(worker)
    if not redis.call("ZSCORE", workers, worker) and report("record of no worker", worker) then
      enlist(worker)
    end
  end)
end

-- check_stride(length): the clock never moves by more than half a lease at once.
local function check_stride(length)
  local stride = tonumber(redis.call("HGET", clock, "stride")) or 1
  if length >= 0 and stride > math.max(length / 2, 1) and report("clock too fast", "stride") then
    redis.call("HSET", clock, "stride", int(math.max(math.floor(length / 4), 1)))
  end
end

function checks.workers()
  return scan("ZSCAN", workers, function(worker, score)
    local length, ends = lease_length(worker), tonumber(score)
    if not length then
      if report("worker without a record", worker) then
        record(worker, ends == math.huge and -1 or 10000)
      end
      return
    end
    local wrong = ends > lease_end(length) or (length < 0 and ends < math.huge)
    if wrong and score ~= "-inf" and report("wrong end of a lease", worker) then
      lease(worker, length)
    end
    check_stride(length)
  end)
end
