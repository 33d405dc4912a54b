-- Needs suspects, trials, held, workers and their sizes, worker, burden, crash_limit; sift, facts_of, note, prefix.
-- A suspect is a job whose worker died. A worker runs one at a time, and the last chance of one alone,
-- so that no innocent neighbour is given up for it.

-- last_chance(facts): one more death of its worker and this job is given up.
local function last_chance(facts)
  local crashes, limit = facts.crashes or 0, tonumber(crash_limit)
  return limit > 0 and crashes > 0 and crashes >= limit - 1
end

-- on_trial(): does this worker run a suspect (several, if it took some over), and is it one's last chance?
local function on_trial()
  local group = prefix(worker)
  local members = n_trials > 0 and redis.call("ZRANGEBYLEX", trials, "[" .. group, "[" .. group .. "\255", "LIMIT", 0, 10) or {}
  for _, member in ipairs(members) do
    if last_chance(facts_of(string.sub(member, #group + 1))) then
      return true, true
    end
  end
  return #members > 0, false
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
