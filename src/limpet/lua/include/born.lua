-- Needs clock, sessions, lanes; kept.

-- born(there): 1 if the queue was not there before, or was dropped; it lives now.
local function born(there)
  if kept[7] then
    redis.call("HDEL", clock, "dropped")
    redis.call("PERSIST", clock)
    redis.call("PERSIST", sessions)
    redis.call("PERSIST", lanes)
  end
  return (kept[7] or not there) and 1 or 0
end
