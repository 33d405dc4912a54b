-- Needs clock, int.
-- tick(ms): bring the queue clock forward and answer it. It follows the server's clock, but by at
-- most `stride` per call (under half the shortest lease), so that an outage, a stall or a clock
-- that jumps takes no lease away from a living worker. A queue that is not there gets no clock.
local function tick(ms)
  if redis.call("EXISTS", clock) == 0 then
    return 0
  end
  local kept = redis.call("HMGET", clock, "tick", "seen", "stride")
  local passed = math.max(ms - (tonumber(kept[2]) or ms), 0)
  local time = (tonumber(kept[1]) or 0) + math.min(passed, tonumber(kept[3]) or 1000)
  redis.call("HSET", clock, "tick", int(time), "seen", int(ms))
  return time
end
