-- Needs wake, paused, n_wake.
-- rouse(): leave one token, so that one of those who wait for work wakes.
local function rouse()
  if n_wake == 0 and redis.call("EXISTS", paused) == 0 then
    n_wake = redis.call("RPUSH", wake, "1")
  end
end
