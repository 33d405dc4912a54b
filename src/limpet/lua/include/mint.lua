-- Needs clock, int.
-- mint(ms, n): reserve n sequence numbers; answers the ms of the ids and the number before the first.
-- Neither part ever goes backwards, even if the server's clock does.
local function mint(ms, n)
  local last = redis.call("HMGET", clock, "ms", "seq")
  local base = math.max(ms, tonumber(last[1]) or 0)
  local seq_before = tonumber(last[2]) or 0
  redis.call("HSET", clock, "ms", int(base), "seq", int(seq_before + n))
  return base, seq_before
end
