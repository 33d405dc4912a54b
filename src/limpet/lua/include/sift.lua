-- Needs jobs, meta, parked, locks, n_meta; decode, has_room, parked_as, unmark, prefix.
-- Decides about ids that just left a line: hand out, park, or drop a ghost.

local taken, bodies, raws = {}, {}, {}
local budget = 100

-- keep(id, payload, raw): this one is handed out.
local function keep(id, payload, raw)
  taken[#taken + 1], bodies[#bodies + 1], raws[#raws + 1] = id, payload, raw
end

-- sift_one(entry, payload, raw): take, park or drop an id that just left a line; answers 1 for a ghost.
local function sift_one(entry, payload, raw)
  local id, place = string.match(entry, "^(%S+) ?(%S*)$")
  local facts = decode(raw)
  if not id or not payload or (place ~= "" and tonumber(place) ~= facts.place) then
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
      ids[i] = string.match(entry, "^%S*")
    end
  end
  local payloads = redis.call("HMGET", jobs, unpack(ids))
  local facts = n_meta > 0 and redis.call("HMGET", meta, unpack(ids)) or {}
  for i, entry in ipairs(entries) do
    if facts[i] or not payloads[i] or ids[i] ~= entry then
      ghosts = ghosts + sift_one(entry, payloads[i], facts[i] or nil)
    else
      keep(entry, payloads[i], "")
    end
  end
  budget = budget - (#entries - (#taken - before))
  return ghosts
end
