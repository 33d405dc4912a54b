-- Needs wake, n_paused.
-- rouse(): leave one token, so that one of those who wait for work wakes.
local function rouse()
  if n_paused == 0 and redis.call("LLEN", wake) == 0 then
    redis.call("RPUSH", wake, "1")
  end
end
