#!lua flags=no-writes,allow-oom
-- Show how a job ended.
-- Returns {"ended", word, ms, result or reason}, {"pending"} if it has not, or {"unknown"} if nothing is known of it (any more).

local jobs, dead, results, expiring = unpack(KEYS)
local at, id = unpack(ARGV)
-- @include now

-- A job that is in the queue has not ended, whatever is kept of an earlier life or of another job of this id.
if redis.call("HEXISTS", jobs, id) == 1 and not redis.call("ZSCORE", dead, id) then
  return { "pending" }
end
local _, ms = now(at)
local word, ended_ms, text = string.match(redis.call("HGET", results, id) or "", "^(%a+) (%d+) (.*)$")
if word and (tonumber(redis.call("ZSCORE", expiring, id)) or 0) > ms then
  return { "ended", word, tonumber(ended_ms), text }
end
return { "unknown" }
