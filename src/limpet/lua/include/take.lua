-- Needs waiting, front, suspects, stats, wake and their sizes; sift, suspects, known, rouse.
-- Chooses what a worker gets: a suspect first, then what others did not know, then the front, then the line.

-- take_line(count): fill up from the front and then from the line.
local function take_line(count)
  while #taken < count and budget > 0 and redis.call("ZCARD", front) > 0 do
    local popped, ids = redis.call("ZPOPMIN", front, count - #taken), {}
    for i = 1, #popped, 2 do
      ids[#ids + 1] = popped[i]
    end
    sift(ids)
  end
  while #taken < count and budget > 0 do
    local entries = redis.call("LPOP", waiting, count - #taken)
    if not entries or #entries == 0 then
      break
    end
    local ghosts = sift(entries)
    if ghosts > 0 then
      redis.call("HINCRBY", stats, "ghosts", -ghosts)
    end
  end
end

-- take(count): answers whether the worker is "draining", and whether more could be had at once.
local function take(count)
  local tried, alone = on_trial()
  local word = (alone or burden == "alone") and "draining" or nil
  if not word and n_suspects > 0 and not tried and burden ~= "suspect" then
    word = take_suspect()
  end
  if not word then
    take_known(count)
    take_line(count)
  end
  local behind = redis.call("LLEN", waiting) + redis.call("ZCARD", front)
  local more = #taken == 0 and not word and behind > 0
  if behind > 0 or (#taken > 0 and redis.call("ZCARD", suspects) > 0) then
    rouse()
  elseif n_wake > 0 and redis.call("ZCARD", suspects) == 0 then
    redis.call("DEL", wake)
  end
  return word == "draining", more
end
