#!lua flags=no-writes,allow-oom
-- Show the head of a plain list.
-- Returns {"list", element, ...}.

local source = unpack(KEYS)
local count = unpack(ARGV)

return { "list", unpack(redis.call("LRANGE", source, 0, count - 1)) }
