-- Needs clock, int.
-- The clock of the queue is read once, by load_clock. What changes is written by save_clock.
local kept, changes

-- load_clock(): read it; answers whether the queue was there.
local function load_clock()
  kept, changes = redis.call("HMGET", clock, "ms", "seq", "stride", "dropped", "fence", "tick", "seen"), {}
  return (kept[1] or kept[3]) and true or false
end

-- change(name, value): note a new value.
local function change(name, value)
  changes[#changes + 1], changes[#changes + 2] = name, value
end

-- tick(ms): bring the queue clock forward and answer it. It follows the server's clock, but by at
-- most `stride` per call (under half the shortest lease), so that an outage, a stall or a clock
-- that jumps takes no lease away from a living worker. A queue that is not there gets no clock.
local function tick(ms)
  if not (kept[1] or kept[3]) then
    return 0
  end
  local passed = math.max(ms - (tonumber(kept[7]) or ms), 0)
  local time = (tonumber(kept[6]) or 0) + math.min(passed, tonumber(kept[3]) or 1000)
  change("tick", int(time))
  change("seen", int(ms))
  return time
end

-- mint(ms, n): reserve n sequence numbers; answers the ms of the ids and the number before the first.
-- Neither part ever goes backwards, even if the server's clock does.
local function mint(ms, n)
  local base, before = math.max(ms, tonumber(kept[1]) or 0), tonumber(kept[2]) or 0
  kept[1], kept[2] = base, before + n
  change("ms", int(base))
  change("seq", int(before + n))
  return base, before
end

-- next_fence(us): the number of a new hand-out; it only grows.
local function next_fence(us)
  local fence = int(math.max(us, (tonumber(kept[5]) or 0) + 1))
  kept[5] = fence
  change("fence", fence)
  return fence
end

-- save_clock(): write what changed.
local function save_clock()
  if #changes > 0 then
    redis.call("HSET", clock, unpack(changes))
    changes = {}
  end
end
