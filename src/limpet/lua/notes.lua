#!lua flags=no-writes,allow-oom
-- Show what a job told about itself.
-- Returns {"notes", JSON} ("" if it told nothing).

local notes = unpack(KEYS)
local id = unpack(ARGV)

return { "notes", redis.call("HGET", notes, id) or "" }
