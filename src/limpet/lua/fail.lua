#!lua flags=allow-oom
-- End one job in failure: counted, noted among the last errors, kept in the dead list.
-- Returns {"failed"}, {"cancelled"} if it was cancelled meanwhile, or {"stale"} with nothing changed.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, dead, failures, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, events, id, fence, message, dead_limit = unpack(ARGV)
-- @include now session meta place lease wake marks outcome members over delivered leave bury

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
  word = "failed"
  bury(id, facts, message, ms, tonumber(dead_limit))
  redis.call("PUBLISH", events, "failed " .. id)
end
rouse_for_returned()
return remember(ms, { word })
