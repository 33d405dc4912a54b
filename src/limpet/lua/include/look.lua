-- Needs jobs, running, meta; lease_of.

-- view(id, state, when): one job as it is shown: id, payload, facts, state, time, worker, fence.
local function view(id, state, when)
  local payload, raw = redis.call("HGET", jobs, id), redis.call("HGET", meta, id) or ""
  if not payload then
    return nil
  end
  local worker, fence = "", ""
  if state == "running" then
    fence = redis.call("HGET", running, id) or ""
    local owner, started_ms = lease_of(fence)
    worker, when = owner or "", started_ms
  end
  return { id, payload, raw, state, tostring(when or ""), worker, fence }
end
