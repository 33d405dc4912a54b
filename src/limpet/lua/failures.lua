#!lua flags=no-writes,allow-oom
-- Show the last errors, newest first.
-- Returns {"failures", JSON, ...}.

local failures = unpack(KEYS)
local start, count = unpack(ARGV)

return { "failures", unpack(redis.call("LRANGE", failures, start, start + count - 1)) }
