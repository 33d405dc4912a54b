-- Needs clock, sessions, lanes.

-- born(there, dropped): 1 if the queue was not there before, or was dropped; it lives now.
local function born(there, dropped)
  if dropped then
    redis.call("HDEL", clock, "dropped")
    redis.call("PERSIST", clock)
    redis.call("PERSIST", sessions)
    redis.call("PERSIST", lanes)
  end
  return (dropped or not there) and 1 or 0
end
