#!lua flags=no-writes,allow-oom
-- Show who holds which lock and how many wait for it, at most `count` holders from `start` on.
-- Returns {"locks", lock, holder, parked, ...}.

local parked, locks = unpack(KEYS)
local start, count = unpack(ARGV)

local answer = { "locks" }
for _, member in ipairs(redis.call("ZRANGE", locks, start, start + count - 1)) do
  local digits = string.match(member, "^(%d+):") or "0"
  local group = string.sub(member, 1, #digits + tonumber(digits) + 2)
  answer[#answer + 1] = string.sub(group, #digits + 2, -2)
  answer[#answer + 1] = string.sub(member, #group + 1)
  answer[#answer + 1] = redis.call("ZLEXCOUNT", parked, "[" .. group, "[" .. group .. "\255")
end
return answer
