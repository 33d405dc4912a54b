-- Needs waiting, front, suspects, scheduled, parked, running, aging, dead and sizes; collector, show_lease, is_ghost,
-- parked_id.
-- lines[state](first, last, ghosts): the ids at these positions, each with its time if it has one.
local lines = {}

-- scored(command, key): positions of a sorted set whose score is a time.
local function scored(command, key, first, last)
  local flat, found = redis.call(command, key, first, last, "WITHSCORES"), {}
  for i = 1, #flat, 2 do
    found[#found + 1] = { flat[i], flat[i + 1] }
  end
  return found
end

function lines.scheduled(first, last)
  return scored("ZRANGE", scheduled, first, last)
end

function lines.dead(first, last)
  return scored("ZREVRANGE", dead, first, last)
end

function lines.parked(first, last)
  local found = {}
  for i, member in ipairs(redis.call("ZRANGE", parked, first, last)) do
    found[i] = { parked_id(member) }
  end
  return found
end

function lines.running(first, last)
  local found = {}
  local show = collector(first, last, found)
  for i = 0, n_aging - 1, 100 do
    for _, fence in ipairs(redis.call("ZRANGE", aging, i, i + 99)) do
      if show_lease(fence, show) then
        return found
      end
    end
  end
  return found
end

-- in_list(first, last, ghosts): ids of the plain line, ghosts left out.
local function in_list(first, last, ghosts)
  local from, found = ghosts == 0 and first or 0, {}
  local show = collector(first - from, last - from, found)
  for i = from, n_waiting - 1, 100 do
    for _, entry in ipairs(redis.call("LRANGE", waiting, i, i + 99)) do
      if not (ghosts > 0 and is_ghost(entry)) and show((string.match(entry, "^%S+"))) then
        return found
      end
    end
  end
  return found
end

function lines.waiting(first, last, ghosts)
  local found, offset = {}, 0
  for _, line in ipairs({ { suspects, n_suspects }, { front, n_front } }) do
    if first < offset + line[2] and last >= offset then
      for _, id in ipairs(redis.call("ZRANGE", line[1], math.max(first - offset, 0), last - offset)) do
        found[#found + 1] = { id }
      end
    end
    offset = offset + line[2]
  end
  if last >= offset then
    for _, entry in ipairs(in_list(math.max(first - offset, 0), last - offset, ghosts)) do
      found[#found + 1] = entry
    end
  end
  return found
end
