-- Needs jobs, waiting, stats; facts_of, place_of, int, report, hint, places, allowance, checks.
-- Checks the line of waiting ids. Removed jobs leave their ids behind (ghosts): that is no problem.

-- The id of no job: what is not wanted in the line is overwritten with it, since removing would cost a scan.
local NOBODY = "0-0"

-- read_entry(entry): its id and facts if it stands for a job; nil for a ghost; false if no script wrote this.
local function read_entry(entry)
  local id, place = string.match(entry, "^(%S+) ?(%S*)$")
  if not id then
    return false
  end
  local facts = facts_of(id)
  if redis.call("HEXISTS", jobs, id) == 0 or (place ~= "" and tonumber(place) ~= facts.place) then
    return nil
  end
  return (place == "" or entry == id .. " " .. int(facts.place)) and id, facts
end

-- blot(position): nobody stands at this position any more.
local function blot(position)
  redis.call("LSET", waiting, position, NOBODY)
  redis.call("HINCRBY", stats, "ghosts", 1)
end

-- waiting: from the end, where the cursor says how far. Hints at the ids in it, and first at whether their places only
-- grow: then none is there twice. The entry before the chunk is looked at for that alone.
function checks.waiting()
  local last, before = tonumber(cursor), -math.huge
  local entries = redis.call("LRANGE", waiting, -(last + CHUNK + 1), -(last + 1))
  hint("growing")
  for i, entry in ipairs(entries) do
    local id, facts = read_entry(entry)
    local wrong = (id == false and "unreadable entry") or (id and #places(id, facts) > 0 and "job in two places")
    if i == 1 and #entries > CHUNK then
      before = id and place_of(id, facts) or before
    elseif wrong and report(wrong, id or entry) then
      blot(i - 1 - #entries - last)
    elseif id then
      local place = place_of(id, facts)
      leads[1] = place > before and leads[1] or "mixed"
      before = place
      hint(id)
    end
  end
  return #entries > CHUNK and int(last + CHUNK) or "0"
end

-- repeated: looks exactly at ids that seem to stand in line twice; the first stays. Answers how many it looked at.
function checks.repeated()
  local many = allowance()
  for i = 3, many + 2 do
    local id = ARGV[i]
    local place, found = facts_of(id).place, redis.call("LPOS", waiting, id, "COUNT", CHUNK)
    for _, position in ipairs(place and redis.call("LPOS", waiting, id .. " " .. int(place), "COUNT", CHUNK) or {}) do
      found[#found + 1] = position
    end
    if #found > 1 and report("job twice in line", id) then
      table.sort(found)
      for n = 2, #found do
        blot(found[n])
      end
    end
  end
  return int(many)
end
