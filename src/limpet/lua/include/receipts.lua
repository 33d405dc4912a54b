-- Needs running.

-- valid(first): the receipts from argument `first` on (pairs of id and fence): those that hold their
-- job, each once, and the positions of those that do not.
local function valid(first)
  local ids, good, stale, seen = {}, {}, {}, {}
  for i = first, #ARGV, 2 do
    ids[#ids + 1] = ARGV[i]
  end
  local held_by = #ids > 0 and redis.call("HMGET", running, unpack(ids)) or {}
  for i, id in ipairs(ids) do
    local fence = ARGV[first + 2 * i - 1]
    if held_by[i] ~= fence then
      stale[#stale + 1] = i
    elseif not seen[id] then
      seen[id] = true
      good[#good + 1] = { id = id, fence = fence, position = i }
    end
  end
  return good, stale
end
