-- Needs jobs, meta, unique, running, dead; facts_of, note, report, scan, checks.
-- Checks what is noted about jobs: their facts and their unique keys.

local COUNTS = { deliveries = 0, crashes = 0, retries = 0, started = 0, enqueued = 0, limit = 1, keep = 1 }
local TEXTS = { unique = true, lock = true, error = true, reason = true, booked = true, after = true, group = true, task = true }

-- fits(name, value): could a script have written this fact? Names nobody knows are left alone.
local function fits(name, value)
  if name == "mode" then
    return value == "waiting" or value == "running"
  end
  if TEXTS[name] then
    return type(value) == "string"
  end
  if name ~= "place" and not COUNTS[name] then
    return type(name) == "string"
  end
  local whole = type(value) == "number" and value == math.floor(value) and math.abs(value) < 4503599627370496
  return whole and (name == "place" or value >= COUNTS[name])
end

-- tidy(raw): the facts that can be read, and whether that is all of them.
local function tidy(raw)
  local fine, facts = pcall(cjson.decode, raw)
  if not fine or type(facts) ~= "table" then
    return {}, false
  end
  local kept, clean = {}, true
  for name, value in pairs(facts) do
    if fits(name, value) then
      kept[name] = value
    else
      clean = false
    end
  end
  return kept, clean
end

function checks.facts()
  return scan("HSCAN", meta, function(id, raw)
    local kept, clean = tidy(raw)
    if redis.call("HEXISTS", jobs, id) == 0 then
      if report("facts of no job", id) then
        redis.call("HDEL", meta, id)
      end
    elseif not clean and report("unreadable facts", id) then
      note(id, kept)
    end
  end)
end

-- entitled(id, facts): does this job hold its unique key now?
local function entitled(id, facts)
  local held_back = facts.mode == "waiting" and redis.call("HEXISTS", running, id) == 1
  return facts.unique and not held_back and not redis.call("ZSCORE", dead, id)
end

function checks.marks()
  return scan("HSCAN", unique, function(mark, id)
    local facts = facts_of(id)
    local holds = redis.call("HEXISTS", jobs, id) == 1 and entitled(id, facts) and facts.unique == mark
    if not holds and report("stray unique mark", mark) then
      redis.call("HDEL", unique, mark)
    end
  end)
end
