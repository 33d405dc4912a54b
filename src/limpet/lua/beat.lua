#!lua flags=allow-oom
-- The heartbeat of a worker, for any number of queues in one call (on a cluster: of one slot).
-- Returns one list per queue: {"ok" | "tend" | "lost", ms until there is something to tend or -1,
-- {running ids that were cancelled}, ms until a schedule fires or -1}.

local at, worker = unpack(ARGV)
local clock, workers, crew, scheduled, waiting, front, suspects, wake, paused, cancelled, parked, expiring, firing
local n_paused
-- @include now clock door aside

local _, ms = now(at)

-- @include chores

-- fires_in(): ms until a schedule fires; -1 if there is none.
local function fires_in()
  local fires = redis.call("ZRANGE", firing, 0, 0, "WITHSCORES")[2]
  return fires and math.min(math.max(tonumber(fires) - ms, 0), 1000000) or -1
end

-- beat(): renew the lease in one queue and look whether there is something to tend.
local function beat()
  load_clock()
  local time = tick(ms)
  save_clock()
  local word = "ok"
  if not renew_lease(worker, time) then
    word = "lost"
  elseif untended(time) then
    word = "tend"
  end
  return { word, math.min(next_in(time), 1000000), redis.call("SRANDMEMBER", cancelled, 100), fires_in() }
end

-- measure(): a key of another type fails here, before the first write in any of the queues.
local function measure()
  for size, keys in pairs({
    HLEN = { clock, crew },
    ZCARD = { workers, scheduled, front, suspects, parked, expiring, firing },
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
  for first = 1, #KEYS, 13 do
    clock, workers, crew, scheduled, waiting, front, suspects, wake, paused, cancelled, parked, expiring, firing = unpack(KEYS, first, first + 12)
    act()
  end
end
return answers
