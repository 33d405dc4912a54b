-- Needs clock, jobs, waiting, parked, unique; facts_of, parked_as, int, report, hint, places, bring_back, allowance,
-- entitled, checks.
-- Checks that every job is in one place, and that every place but the line of waiting ids holds jobs.

-- names(key): the fields of one chunk of a hash, and where to go on. Payloads may be large: where the server is able
-- to leave them out, it does.
local function names(key)
  local step = redis.pcall("HSCAN", key, cursor, "COUNT", CHUNK, "NOVALUES")
  if not step.err then
    return step[2], step[1]
  end
  local found = {}
  step = redis.call("HSCAN", key, cursor, "COUNT", 20)
  for i = 1, #step[2], 2 do
    found[#found + 1] = step[2][i]
  end
  return found, step[1]
end

-- keep_one(id, facts, found): of several places the first is kept.
local function keep_one(id, facts, found)
  for i = 2, #found do
    redis.call("ZREM", found[i], found[i] == parked and parked_as(id, facts) or id)
  end
end

-- check_number(id, facts): no job has a higher number than the last one given.
local function check_number(id, facts)
  local number = facts.place or tonumber(string.match(id, "^%d+%-(%d+)$")) or 0
  if number > (tonumber(redis.call("HGET", clock, "seq")) or 0) and report("clock behind", "seq") then
    redis.call("HSET", clock, "seq", int(number))
  end
end

-- jobs: hints at those that are in no other place than, perhaps, the line of waiting ids.
function checks.jobs()
  local ids, after = names(jobs)
  for _, id in ipairs(ids) do
    local facts = facts_of(id)
    local found = places(id, facts)
    check_number(id, facts)
    if #found == 0 then
      hint(id)
    elseif #found > 1 and report("job in two places", id) then
      keep_one(id, facts, found)
    end
    if entitled(id, facts) and redis.call("HEXISTS", unique, facts.unique) == 0 and report("missing unique mark", id) then
      redis.call("HSET", unique, facts.unique, id)
    end
  end
  return after
end

-- in_line(id, facts): is it in the line of waiting ids? This costs a look at all of them.
local function in_line(id, facts)
  local entry = facts.place and id .. " " .. int(facts.place)
  return redis.call("LPOS", waiting, id, "RANK", -1) or (entry and redis.call("LPOS", waiting, entry, "RANK", -1))
end

-- nowhere: looks exactly at jobs that seem to be in no place. Answers how many it looked at.
function checks.nowhere()
  local many = allowance()
  for i = 3, many + 2 do
    local id = ARGV[i]
    local facts = facts_of(id)
    local there = redis.call("HEXISTS", jobs, id) == 1
    if there and #places(id, facts) == 0 and not in_line(id, facts) and report("job in no place", id) then
      bring_back(id, facts)
    end
  end
  return int(many)
end
