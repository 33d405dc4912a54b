#!lua flags=allow-oom
-- Forget dead jobs: by id, or without ids the oldest `count`.
-- Returns {"purged", how many}.

local jobs, meta, dead, sessions, lanes, notes = unpack(KEYS)
local at, lane, seq, count = unpack(ARGV)
-- @include now session

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local ids, purged = { unpack(ARGV, 5) }, 0
if #ids == 0 then
  ids = redis.call("ZRANGE", dead, 0, tonumber(count) - 1)
end
for _, id in ipairs(ids) do
  if redis.call("ZREM", dead, id) == 1 then
    redis.call("HDEL", jobs, id)
    redis.call("HDEL", meta, id)
    redis.call("HDEL", notes, id)
    purged = purged + 1
  end
end
return remember(ms, { "purged", purged })
