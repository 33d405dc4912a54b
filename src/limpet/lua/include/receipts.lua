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
    elseif seen[id] then
      table.insert(seen[id].positions, i)
    else
      seen[id] = { id = id, fence = fence, positions = { i } }
      good[#good + 1] = seen[id]
    end
  end
  return good, stale
end

-- list(receipt, positions): add all positions at which a receipt was shown.
local function list(receipt, positions)
  for _, position in ipairs(receipt.positions) do
    positions[#positions + 1] = position
  end
end
