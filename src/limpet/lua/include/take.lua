-- Needs jobs, waiting, front, suspects, meta, unique, locks, parked, stats, trials, held, workers,
-- wake and their sizes; decode, facts_of, note, prefix, marks, grant, rouse.
-- take(): choose what a worker gets. Suspects first (one per worker, the last chance of one alone),
-- then the front, then the line. Jobs whose lock is held are parked on the way.

local taken, bodies, notes = {}, {}, {}
local budget = 100

-- keep(id, payload, raw): this one is handed out.
local function keep(id, payload, raw)
  taken[#taken + 1], bodies[#bodies + 1], notes[#notes + 1] = id, payload, raw
end

-- sift_one(entry, payload, raw): take, park or drop an id that just left a line; answers 1 for a ghost.
local function sift_one(entry, payload, raw)
  local id, place = string.match(entry, "^(%S+) ?(%S*)$")
  local facts = decode(raw)
  if not payload or (place ~= "" and tonumber(place) ~= facts.place) then
    return 1
  end
  if facts.lock and not has_room(facts) then
    redis.call("ZADD", parked, 0, parked_as(id, facts))
    return 0
  end
  if facts.lock then
    redis.call("ZADD", locks, 0, prefix(facts.lock) .. id)
  end
  if facts.mode == "waiting" then
    unmark(id, facts)
  end
  keep(id, payload, raw)
  return 0
end

-- sift(entries): decide about ids that just left a line; answers how many were ghosts.
local function sift(entries)
  local ids, before, ghosts = entries, #taken, 0
  if n_meta > 0 then
    ids = {}
    for i, entry in ipairs(entries) do
      ids[i] = string.match(entry, "^%S+")
    end
  end
  local payloads = redis.call("HMGET", jobs, unpack(ids))
  local raws = n_meta > 0 and redis.call("HMGET", meta, unpack(ids)) or {}
  for i, entry in ipairs(entries) do
    if raws[i] or not payloads[i] then
      ghosts = ghosts + sift_one(entry, payloads[i], raws[i] or nil)
    else
      keep(entry, payloads[i], "")
    end
  end
  budget = budget - (#entries - (#taken - before))
  return ghosts
end

-- last_chance(facts): one more death of its worker and this job is given up.
local function last_chance(facts)
  local crashes, limit = facts.crashes or 0, tonumber(crash_limit)
  return limit > 0 and crashes > 0 and crashes >= limit - 1
end

-- on_trial(): does this worker run a suspect, and is it that one's last chance?
local function on_trial()
  local group = prefix(worker)
  local member = n_trials > 0 and redis.call("ZRANGEBYLEX", trials, "[" .. group, "[" .. group .. "\255", "LIMIT", 0, 1)[1]
  if not member then
    return false, false
  end
  return true, last_chance(facts_of(string.sub(member, #group + 1)))
end

-- is_idle(): the worker holds nothing, here or elsewhere.
local function is_idle()
  local group = prefix(worker)
  return burden == "none" and redis.call("ZLEXCOUNT", held, "[" .. group, "[" .. group .. "\255") == 0
end

-- reserved(id, facts): a busy worker may book the last chance of a suspect and then runs empty for
-- it; answers true if this worker did, false if another living one has.
local function reserved(id, facts)
  if facts.booked ~= worker and facts.booked and redis.call("ZSCORE", workers, facts.booked) then
    return false
  end
  facts.booked = worker
  note(id, facts)
  return true
end

-- take_suspect(): answers "alone" if the worker must get nothing besides, "draining" if nothing yet.
local function take_suspect()
  for _ = 1, math.min(n_suspects, 10) do
    local id = redis.call("ZRANGE", suspects, 0, 0)[1]
    local facts = facts_of(id)
    local alone = last_chance(facts)
    if alone and not is_idle() then
      return reserved(id, facts) and "draining" or nil
    end
    redis.call("ZREM", suspects, id)
    sift({ id })
    if #taken > 0 then
      redis.call("ZADD", trials, 0, prefix(worker) .. id)
      return alone and "alone" or nil
    end
  end
end

-- take_line(count): fill up from the front and then from the line.
local function take_line(count)
  while #taken < count and budget > 0 and redis.call("ZCARD", front) > 0 do
    local popped, ids = redis.call("ZPOPMIN", front, count - #taken), {}
    for i = 1, #popped, 2 do
      ids[#ids + 1] = popped[i]
    end
    sift(ids)
  end
  while #taken < count and budget > 0 do
    local entries = redis.call("LPOP", waiting, count - #taken)
    if not entries or #entries == 0 then
      break
    end
    local ghosts = sift(entries)
    if ghosts > 0 then
      redis.call("HINCRBY", stats, "ghosts", -ghosts)
    end
  end
end

-- take(count): answers whether the worker is "draining", and whether more could be had at once.
local function take(count)
  local tried, alone = on_trial()
  local word = (alone or burden == "alone") and "draining" or nil
  if not word and n_suspects > 0 and not tried and burden ~= "suspect" then
    word = take_suspect()
  end
  if not word then
    take_line(count)
  end
  local behind = redis.call("LLEN", waiting) + redis.call("ZCARD", front)
  local more = #taken == 0 and not word and behind > 0
  if behind > 0 or (#taken > 0 and redis.call("ZCARD", suspects) > 0) then
    rouse()
  elseif n_wake > 0 and redis.call("ZCARD", suspects) == 0 then
    redis.call("DEL", wake)
  end
  return word == "draining", more
end
