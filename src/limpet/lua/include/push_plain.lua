-- Needs jobs, waiting, events; store, number, born, load_clock, save_clock, mint, rouse, int.

-- push_plain(first, ms): queue payloads from argument `first` on, with nothing special about them.
local function push_plain(first, ms)
  local fresh, count = born(load_clock()), #ARGV - first + 1
  local base, before = mint(ms, count)
  local ids, fields = number(int(base) .. "-", before, count), {}
  for i, id in ipairs(ids) do
    fields[2 * i - 1], fields[2 * i] = id, ARGV[first + i - 1]
  end
  store(jobs, fields)
  redis.call("RPUSH", waiting, unpack(ids))
  save_clock()
  rouse()
  redis.call("PUBLISH", events, "work " .. count)
  return { "range", fresh, int(base), int(before), count }
end
