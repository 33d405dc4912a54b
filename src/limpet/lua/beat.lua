#!lua flags=allow-oom
-- The heartbeat of a worker, for any number of queues in one call (on a cluster: of one slot).
-- Returns one list per queue: {"ok" | "tend" | "lost", ms until there is something to tend or -1,
-- {running ids that were cancelled}}.

local at, worker = unpack(ARGV)
local clock, workers, crew, scheduled, waiting, front, suspects, wake, paused, cancelled
local n_paused
-- @include now clock door

local _, ms = now(at)

-- stranded(): jobs wait and nobody was called.
local function stranded()
  local jobs = redis.call("LLEN", waiting) + redis.call("ZCARD", front) + redis.call("ZCARD", suspects)
  return jobs > 0 and n_paused == 0 and redis.call("LLEN", wake) == 0
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

-- beat(): renew the lease in one queue and look whether there is something to tend.
local function beat()
  load_clock()
  local time = tick(ms)
  save_clock()
  local word = "ok"
  if not renew_lease(worker, time) then
    word = "lost"
  elseif overdue(time, ms) or stranded() then
    word = "tend"
  end
  return { word, math.min(next_in(time), 1000000), redis.call("SRANDMEMBER", cancelled, 100) }
end

-- measure(): a key of another type fails here, before the first write in any of the queues.
local function measure()
  for size, keys in pairs({
    HLEN = { clock, crew },
    ZCARD = { workers, scheduled, front, suspects },
    LLEN = { waiting, wake },
    SCARD = { cancelled },
    STRLEN = { paused },
  }) do
    for _, key in ipairs(keys) do
      redis.call(size, key)
    end
  end
end

local answers = {}

-- answer(): the heartbeat in one queue.
local function answer()
  n_paused = redis.call("STRLEN", paused)
  answers[#answers + 1] = beat()
end

for _, act in ipairs({ measure, answer }) do
  for first = 1, #KEYS, 10 do
    clock, workers, crew, scheduled, waiting, front, suspects, wake, paused, cancelled = unpack(KEYS, first, first + 9)
    act()
  end
end
return answers
