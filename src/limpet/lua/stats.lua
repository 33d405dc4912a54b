#!lua flags=no-writes,allow-oom
-- Count what is in the queue and what went through it.
-- Returns {"stats", name, number, ...}.

local jobs, waiting, front, suspects, scheduled, parked, running, meta, workers, dead, stats, paused = unpack(KEYS)
local at = unpack(ARGV)
-- @include now meta ghosts

local _, ms = now(at)
local counted = redis.call("HGETALL", stats)
local ghosts = tonumber(redis.call("HGET", stats, "ghosts")) or 0

-- head(): the id that is served next.
local function head()
  local first = redis.call("ZRANGE", suspects, 0, 0)[1] or redis.call("ZRANGE", front, 0, 0)[1]
  if first then
    return first
  end
  for _, entry in ipairs(redis.call("LRANGE", waiting, 0, 99)) do
    if not is_ghost(entry) then
      return string.match(entry, "^%S+")
    end
  end
end

local first = head()
local enqueued = first and (facts_of(first).enqueued or tonumber(string.match(first, "^(%d+)%-"))) or ms
local line = n_waiting - ghosts + n_front + n_suspects
local answer = { "stats", "waiting", line, "parked", n_parked, "scheduled", n_scheduled, "running", n_running, "dead", n_dead }
local aside = n_parked > 0 and redis.call("ZLEXCOUNT", parked, "[task:", "(task;") or 0
for _, pair in ipairs({ { "stranded", aside }, { "workers", n_workers }, { "paused", n_paused }, { "oldest_ms", math.max(ms - enqueued, 0) } }) do
  answer[#answer + 1], answer[#answer + 2] = pair[1], pair[2]
end
for i = 1, #counted, 2 do
  answer[#answer + 1], answer[#answer + 2] = counted[i], tonumber(counted[i + 1])
end
return answer
