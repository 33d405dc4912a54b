-- Needs jobs, meta, running, cancelled, trials, stats, notes; lease_of, settle, unlock, unmark, ended, prefix.

-- leave(id, fence, facts): the job stops running; its lease, its lock and its trial end.
local function leave(id, fence, facts)
  local worker = lease_of(fence)
  redis.call("HDEL", running, id)
  settle(fence, 1)
  if worker and (facts.crashes or 0) > 0 then
    redis.call("ZREM", trials, prefix(worker) .. id)
  end
  unlock(id, facts)
end

-- forget(id, facts, counter, text): the job is gone, and counted; its result or the reason is for those who asked.
local function forget(id, facts, counter, text)
  redis.call("HDEL", jobs, id)
  redis.call("HDEL", meta, id)
  if facts.noted then
    redis.call("HDEL", notes, id)
  end
  unmark(id, facts)
  redis.call("HINCRBY", stats, counter, 1)
  ended(id, facts, counter == "completed" and "done" or "cancelled", text)
end

-- obey(id, facts): a job that was cancelled while it ran ends as cancelled; answers whether it did.
local function obey(id, facts)
  if redis.call("SREM", cancelled, id) == 0 then
    return false
  end
  forget(id, facts, "cancelled")
  return true
end
