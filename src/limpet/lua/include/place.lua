-- prefix(key): a prefix no other key shares, whatever bytes it holds; groups members of a sorted set.
local function prefix(key)
  return #key .. ":" .. key .. "|"
end

-- place_of(id, facts): where the job stands in line; lower is earlier.
local function place_of(id, facts)
  return facts.place or tonumber(string.match(id, "%-(%d+)$")) or 0
end

-- sortable(place): sixteen digits that sort like the number, also below zero.
local function sortable(place)
  return string.format("%016.0f", place + 4503599627370496)
end

-- parks_under(facts): what a parked job waits for: the end of a group, a worker that knows its task, or its lock.
local function parks_under(facts)
  if facts.after then
    return "after:" .. prefix(facts.after)
  end
  if facts.task then
    return "task:" .. prefix(facts.task)
  end
  return facts.lock and prefix(facts.lock)
end

-- parked_as(id, facts): its member in the set of parked jobs; nil for a job that never parks.
local function parked_as(id, facts)
  local group = parks_under(facts)
  return group and group .. sortable(place_of(id, facts)) .. id
end

-- parked_id(member): the id in such a member.
local function parked_id(member)
  local kind, size = string.match(member, "^(%a*:?)(%d+):")
  return size and string.sub(member, #kind + #size + tonumber(size) + 19) or ""
end
