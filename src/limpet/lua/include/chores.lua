-- Needs ms, workers, waiting, front, suspects, wake, paused, expiring; due_in, overdue, each_known.
-- What is to be done in a queue, now or soon.

-- stranded(): jobs wait and nobody was called.
local function stranded()
  local jobs = redis.call("LLEN", waiting) + redis.call("ZCARD", front) + redis.call("ZCARD", suspects)
  return jobs > 0 and redis.call("EXISTS", paused) == 0 and redis.call("LLEN", wake) == 0
end

-- sought(): jobs were set aside that this worker knows how to do, and nobody was called.
local function sought()
  local found = false
  each_known(function()
    found = redis.call("EXISTS", paused) == 0 and redis.call("LLEN", wake) == 0
    return true
  end)
  return found
end

-- outworn(): an outcome was kept for long enough.
local function outworn()
  local first = redis.call("ZRANGE", expiring, 0, 0, "WITHSCORES")[2]
  return first and tonumber(first) <= ms
end

-- next_in(time): ms until the next due job or the next end of a lease.
local function next_in(time)
  local due, ended = due_in(ms), redis.call("ZRANGE", workers, 0, 0, "WITHSCORES")[2]
  local ends_in = ended and tonumber(ended) - time + 1 or -1
  if due >= 0 and ends_in >= 0 then
    return math.min(due, ends_in)
  end
  return math.max(due, ends_in)
end

-- untended(time): there is something to tend now.
local function untended(time)
  return overdue(time, ms) or stranded() or sought() or outworn()
end
