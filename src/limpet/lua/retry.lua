#!lua flags=allow-oom
-- Schedule a running job for another attempt, and note the error with it.
-- Returns {"retried"}, {"cancelled"} if it was cancelled meanwhile, or {"stale"} with nothing changed.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, id, fence, delay_ms, message = unpack(ARGV)
-- @include now session meta place lease wake marks outcome members over evict delivered leave comeback

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
if redis.call("HGET", running, id) ~= fence then
  return remember(ms, { "stale" })
end
local facts = facts_of(id)
local _, started_ms = lease_of(fence)
leave(id, fence, facts)
delivered(facts, started_ms)
local word = "cancelled"
if not obey(id, facts) then
  word = "retried"
  facts.retries = (facts.retries or 0) + 1
  facts.error = message
  put_off(id, facts, ms + tonumber(delay_ms))
end
rouse()
return remember(ms, { word })
