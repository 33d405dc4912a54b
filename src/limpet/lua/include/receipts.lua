-- Needs running.
-- Receipts come as hand-outs: the fence, how many ids, and the ids.

-- shown(first): the receipts from argument `first` on, as ids and fences.
local function shown(first)
  local ids, fences = {}, {}
  while first < #ARGV do
    local fence, last = ARGV[first], first + 1 + ARGV[first + 1]
    for i = first + 2, last do
      ids[#ids + 1], fences[#fences + 1] = ARGV[i], fence
    end
    first = last + 1
  end
  return ids, fences
end

-- valid(first, before): the receipts from argument `first` on: those that hold their job, each once, and the positions
-- of those that do not; `before` receipts came before them.
local function valid(first, before)
  local ids, fences = shown(first)
  local good, stale, seen = {}, {}, {}
  local held_by = #ids > 0 and redis.call("HMGET", running, unpack(ids)) or {}
  for i, id in ipairs(ids) do
    if held_by[i] ~= fences[i] then
      stale[#stale + 1] = before + i
    elseif seen[id] then
      table.insert(seen[id].positions, before + i)
    else
      seen[id] = { id = id, fence = fences[i], positions = { before + i } }
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
