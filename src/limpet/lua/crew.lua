#!lua flags=no-writes,allow-oom
-- Show the workers of a queue.
-- Returns {"crew", worker, info (JSON), ms of lease left ("inf" for ever, below 0: dead), hand-outs held, ...}.

local clock, held, workers, crew = unpack(KEYS)
-- @include place

local time = tonumber(redis.call("HGET", clock, "tick")) or 0
local answer = { "crew" }
local members = redis.call("ZRANGE", workers, 0, -1, "WITHSCORES")
for i = 1, #members, 2 do
  local group = prefix(members[i])
  answer[#answer + 1] = members[i]
  answer[#answer + 1] = redis.call("HGET", crew, members[i]) or "{}"
  answer[#answer + 1] = members[i + 1] == "inf" and "inf" or string.format("%.0f", math.max(members[i + 1] - time, -1))
  answer[#answer + 1] = redis.call("ZLEXCOUNT", held, "[" .. group, "[" .. group .. "\255")
end
return answer
