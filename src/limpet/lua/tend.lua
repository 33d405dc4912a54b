#!lua flags=allow-oom
-- Keep house: bring in due jobs, return what dead workers hold (crash_limit deaths end in the dead
-- list), forget outcomes that were kept long enough, and renew a lost wake-up. At most `limit` jobs of each kind a call.
-- Returns {"tended", promoted, returned, more}.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, dead, failures, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, events, crash_limit, dead_limit, limit = unpack(ARGV)
-- @include now clock meta place lease wake marks outcome members over evict delivered leave comeback bury handback retire

local _, ms = now(at)
load_clock()
local time = tick(ms)
limit = tonumber(limit)

-- promote(): due jobs go to the end of the line (suspects to that of their own), in the order they were due.
local function promote()
  local ids = redis.call("ZRANGEBYSCORE", scheduled, "-inf", int(ms), "LIMIT", 0, limit)
  if #ids == 0 then
    return 0
  end
  local _, before = mint(ms, #ids)
  for i, id in ipairs(ids) do
    redis.call("ZREM", scheduled, id)
    if redis.call("HEXISTS", jobs, id) == 1 then
      local facts = facts_of(id)
      facts.place = before + i
      note(id, facts)
      if (facts.crashes or 0) > 0 then
        line_up(id, facts)
      else
        redis.call("RPUSH", waiting, id .. " " .. int(facts.place))
      end
    end
  end
  return #ids
end

-- crashed(id, facts): its worker died with it.
local function crashed(id, facts)
  facts.crashes = (facts.crashes or 0) + 1
  facts.booked = nil
  if tonumber(crash_limit) > 0 and facts.crashes >= tonumber(crash_limit) then
    bury(id, facts, "its worker died " .. facts.crashes .. " times", ms, tonumber(dead_limit))
  else
    redis.call("HINCRBY", stats, "recovered", 1)
    put_back(id, facts)
  end
end

-- sweep(): clear one dead worker away; its jobs return to their places.
local function sweep()
  local worker = redis.call("ZRANGEBYSCORE", workers, "-inf", "(" .. int(time), "LIMIT", 0, 1)[1]
  if not worker then
    return 0, false
  end
  redis.call("ZADD", workers, "-inf", worker)
  local returned, more = hand_back(worker, limit, crashed)
  if not more then
    redis.call("ZREM", workers, worker)
    redis.call("HDEL", crew, worker)
    redis.call("PUBLISH", events, "lost " .. worker)
    retire()
  end
  return returned, more or redis.call("ZCOUNT", workers, "-inf", "(" .. int(time)) > 0
end

local promoted = n_scheduled > 0 and promote() or 0
local expired = n_expiring > 0 and expire(ms, limit) or 0
save_clock()
local returned, more = sweep()
local aside = n_parked > 0 and redis.call("ZLEXCOUNT", parked, "[task:", "(task;") or 0
if redis.call("LLEN", waiting) + redis.call("ZCARD", front) + redis.call("ZCARD", suspects) + aside > 0 then
  rouse()
end
if promoted + returned > 0 then
  redis.call("PUBLISH", events, "work " .. promoted + returned)
end
return { "tended", promoted, returned, (more or promoted == limit or expired == limit) and 1 or 0 }
