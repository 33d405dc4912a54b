#!lua flags=allow-oom
-- Stop handing jobs out; pushes go on.
-- Returns {"paused"}.

local wake, paused = unpack(KEYS)

redis.call("SET", paused, "1")
redis.call("DEL", wake)
return { "paused" }
