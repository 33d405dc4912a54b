-- Needs stats, events; enter, born, load_clock, save_clock, mint, rouse, int.

-- parse(first): the jobs from argument `first` on; a wrong one fails here, before the first write.
local function parse(first)
  local hows = {}
  for i = first, #ARGV, 2 do
    hows[#hows + 1] = ARGV[i] ~= "" and cjson.decode(ARGV[i])
  end
  return hows
end

-- announce(tally, count): wake a worker, tell listeners, count the refused.
local function announce(tally, count)
  if tally.kept < count then
    rouse()
  end
  if tally.created > 0 then
    redis.call("PUBLISH", events, "work " .. tally.created)
  end
  if tally.kept > 0 then
    redis.call("HINCRBY", stats, "refused", tally.kept)
  end
end

-- push_all(hows, first, ms): queue all jobs; answers them as {"range", ...} or {"pushed", ...}.
local function push_all(hows, first, ms)
  local count, plain = #hows, true
  local fresh = born(load_clock(), kept[4])
  local base, before = mint(ms, count)
  save_clock()
  local answer, tally = { "pushed", fresh }, { created = 0, kept = 0, replaced = 0 }
  local stem = int(base) .. "-"
  for i, how in ipairs(hows) do
    local payload = ARGV[first + 2 * i - 1]
    local id, what = stem .. int(before + i), "created"
    if how then
      flush()
      plain = false
      local place = how.front and -(before + count + 1 - i) or before + i
      id, what = push_one(id, how, payload, place, ms)
    else
      entries[#entries + 1], fields[#fields + 1], fields[#fields + 2] = id, id, payload
    end
    tally[what] = tally[what] + 1
    answer[2 * i + 1], answer[2 * i + 2] = id, what
  end
  flush()
  let_go()
  announce(tally, count)
  return plain and { "range", fresh, int(base), int(before), count } or answer
end
