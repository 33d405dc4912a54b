-- Needs clock, waiting, front, suspects, running, locks, members, workers, crew, stats and their sizes; ms, is_ghost,
-- lease_of, prefix, int.
-- What decides when a job runs. Each look has a limit: people wait for it, and so do the workers meanwhile.
local REACH, NEAR, CREW, FEW = 10000, 1000, 100, 5

-- range(group): the ends of a group in a sorted set, as arguments.
local function range(group)
  return "[" .. group, "[" .. group .. "\255"
end

-- ghosts_before(index): entries before this one that stand for no job, and 1 if there may be more: looks at the first only.
local function ghosts_before(index)
  local found, any = 0, (tonumber(redis.call("HGET", stats, "ghosts")) or 0) > 0
  if index > 0 and any then
    for _, entry in ipairs(redis.call("LRANGE", waiting, 0, math.min(index, NEAR) - 1)) do
      found = found + (is_ghost(entry) and 1 or 0)
    end
  end
  return found, any and index > NEAR and 1 or 0
end

-- position_of(id, facts): from 1 on; 0 if it is in no line, -1 if it is too far behind to be found; then 1 if it is a guess.
local function position_of(id, facts)
  local rank = redis.call("ZRANK", suspects, id)
  if rank then
    return rank + 1, 0
  end
  rank = redis.call("ZRANK", front, id)
  if rank then
    return n_suspects + rank + 1, 0
  end
  local entry = facts.place and id .. " " .. int(facts.place) or id
  local index = redis.call("LPOS", waiting, entry, "MAXLEN", REACH)
  if not index then
    return n_waiting > REACH and -1 or 0, 0
  end
  local ghosts, guess = ghosts_before(index)
  return n_suspects + n_front + index + 1 - ghosts, guess
end

-- holders_of(lock): some of those that hold it, each with its worker and since when.
local function holders_of(lock)
  local group, found = prefix(lock), {}
  local first, last = range(group)
  for _, member in ipairs(redis.call("ZRANGEBYLEX", locks, first, last, "LIMIT", 0, FEW)) do
    local holder = string.sub(member, #group + 1)
    local owner, since = lease_of(redis.call("HGET", running, holder) or "")
    found[#found + 1], found[#found + 2], found[#found + 3] = holder, owner or "", int(since or 0)
  end
  return found
end

-- awaited(group): some of the members that have not ended.
local function awaited(group)
  local stem, found = prefix(group), {}
  local first, last = range(stem)
  for i, member in ipairs(redis.call("ZRANGEBYLEX", members, first, last, "LIMIT", 0, FEW)) do
    found[i] = string.sub(member, #stem + 1)
  end
  return found
end

-- horizon(): the queue clock if it were brought forward now; whose lease ends before has been silent for too long.
local function horizon()
  local seen = redis.call("HMGET", clock, "tick", "seen")
  return (tonumber(seen[1]) or 0) + math.max(ms - (tonumber(seen[2]) or ms), 0)
end

-- crew_at(time): some of the workers that live, each with what it said about itself.
local function crew_at(time)
  local found = {}
  for _, worker in ipairs(redis.call("ZREVRANGEBYSCORE", workers, "+inf", int(time), "LIMIT", 0, CREW)) do
    found[#found + 1], found[#found + 2] = worker, redis.call("HGET", crew, worker) or "{}"
  end
  return found
end
