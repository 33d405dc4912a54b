-- Needs front, suspects, n_front, n_suspects; facts_of, has_room, unpark, rouse, int, report, split, is_first, checks.
-- Checks that whoever is next for a free lock was called.

-- was_called(lock): does one that wants this lock stand in line? Not looked at if the line is long: a call too many is
-- harmless.
local function was_called(lock)
  if n_front + n_suspects > 1000 then
    return false
  end
  for _, line in ipairs({ front, suspects }) do
    for _, id in ipairs(redis.call("ZRANGE", line, 0, -1)) do
      if facts_of(id).lock == lock then
        return true
      end
    end
  end
  return false
end

-- uncalled: looks exactly at parked jobs whose lock seems to have room with nobody called. Answers how many it looked at.
function checks.uncalled()
  local many = math.min(#ARGV - 2, 10)
  for i = 3, many + 2 do
    local lock, rest = split(ARGV[i])
    local facts = facts_of(string.sub(rest or "", 17))
    local free = lock and lock == facts.lock and is_first(ARGV[i], lock) and has_room(facts)
    if free and not was_called(lock) and report("free lock with nobody called", lock) then
      unpark(lock)
      rouse()
    end
  end
  return int(many)
end
