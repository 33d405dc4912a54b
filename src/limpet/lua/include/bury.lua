-- Needs jobs, meta, dead, failures, stats, notes; unmark, note, ended, int.

-- bury(id, facts, reason, ms, dead_limit): the job ended in failure: noted among the last errors,
-- counted, and kept in the dead list unless that is off (0). The oldest dead make room.
local function bury(id, facts, reason, ms, dead_limit)
  local failure = { id = id, message = reason, at = int(ms), deliveries = facts.deliveries or 0 }
  redis.call("LPUSH", failures, cjson.encode(failure))
  redis.call("LTRIM", failures, 0, 99)
  redis.call("HINCRBY", stats, "completed", 1)
  redis.call("HINCRBY", stats, "failed", 1)
  unmark(id, facts)
  ended(id, facts, "failed", reason)
  if dead_limit == 0 then
    redis.call("HDEL", jobs, id)
    redis.call("HDEL", meta, id)
    redis.call("HDEL", notes, id)
    return
  end
  facts.reason, facts.group = reason, nil
  note(id, facts)
  redis.call("ZADD", dead, int(ms), id)
  for _ = 1, math.min(redis.call("ZCARD", dead) - dead_limit, 10) do
    local oldest = redis.call("ZPOPMIN", dead)[1]
    redis.call("HDEL", jobs, oldest)
    redis.call("HDEL", meta, oldest)
    redis.call("HDEL", notes, oldest)
  end
end
