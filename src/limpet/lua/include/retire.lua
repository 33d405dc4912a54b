-- Needs clock, workers, sessions, lanes.

-- retire(): of a dropped queue that no worker serves, nothing stays for longer than an hour.
local function retire()
  if redis.call("ZCARD", workers) == 0 and redis.call("HEXISTS", clock, "dropped") == 1 then
    redis.call("EXPIRE", clock, 3600)
    redis.call("EXPIRE", sessions, 3600)
    redis.call("EXPIRE", lanes, 3600)
  end
end
