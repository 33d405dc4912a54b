-- Needs at, results, expiring; now, int.
-- How jobs ended, kept for a while for those who asked.

-- expire(ms, limit): forget outcomes that were kept for long enough; answers how many.
local function expire(ms, limit)
  local ids = redis.call("ZRANGEBYSCORE", expiring, "-inf", int(ms), "LIMIT", 0, limit)
  if #ids > 0 then
    redis.call("HDEL", results, unpack(ids))
    redis.call("ZREM", expiring, unpack(ids))
  end
  return #ids
end

-- keep_outcome(id, facts, how, text): keep how a job ended for those who asked, and tell them.
local function keep_outcome(id, facts, how, text)
  local _, ms = now(at)
  expire(ms, 10)
  redis.call("HSET", results, id, how .. " " .. int(ms) .. " " .. (text or ""))
  redis.call("ZADD", expiring, int(ms + facts.keep), id)
  redis.call("PUBLISH", results .. ":" .. id, how)
end

-- forget_outcome(id): an id of the caller's own may have ended before, with an outcome that was kept.
local function forget_outcome(id)
  redis.call("HDEL", results, id)
  redis.call("ZREM", expiring, id)
end
