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
