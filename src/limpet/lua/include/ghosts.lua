-- Needs jobs, waiting, meta, stats; facts_of.

-- is_ghost(entry): does this entry of the line stand for no job any more?
local function is_ghost(entry)
  local id, place = string.match(entry, "^(%S+) ?(%S*)$")
  if not id or redis.call("HEXISTS", jobs, id) == 0 then
    return true
  end
  return place ~= "" and tonumber(place) ~= facts_of(id).place
end

-- drop_ghosts(): cut ghosts off both ends of the line, a bounded number a call.
local function drop_ghosts()
  local cut = 0
  for side, position in pairs({ LPOP = 0, RPOP = -1 }) do
    for _ = 1, 100 do
      local entry = redis.call("LINDEX", waiting, position)
      if not entry or not is_ghost(entry) then
        break
      end
      redis.call(side, waiting)
      cut = cut + 1
    end
  end
  if cut > 0 then
    redis.call("HINCRBY", stats, "ghosts", -cut)
  end
  -- Never by the count alone: if it is wrong, a job at the head still tells that some wait.
  local head, ghosts = redis.call("LINDEX", waiting, 0), tonumber(redis.call("HGET", stats, "ghosts")) or 0
  if redis.call("LLEN", waiting) <= ghosts and (not head or is_ghost(head)) then
    redis.call("DEL", waiting)
    redis.call("HDEL", stats, "ghosts")
  end
end
