-- Needs jobs, waiting, events; born, load_clock, save_clock, mint, rouse, int.

-- push_plain(first, ms): queue payloads from argument `first` on, with nothing special about them.
local function push_plain(first, ms)
  local fresh, count = born(load_clock()), #ARGV - first + 1
  local base, before = mint(ms, count)
  local ids, fields, stem = {}, {}, int(base) .. "-"
  for i = 1, count do
    local id = stem .. (before + i)
    ids[i], fields[2 * i - 1], fields[2 * i] = id, id, ARGV[first + i - 1]
  end
  redis.call("HSET", jobs, unpack(fields))
  redis.call("RPUSH", waiting, unpack(ids))
  save_clock()
  rouse()
  redis.call("PUBLISH", events, "work " .. count)
  return { "range", fresh, int(base), int(before), count }
end
