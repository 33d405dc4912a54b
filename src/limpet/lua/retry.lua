#!lua flags=allow-oom
-- Schedule a running job for another attempt, and note the error with it.
-- Returns {"retried"}, {"cancelled"} if it was cancelled meanwhile, or {"stale"} with nothing changed.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, id, fence, delay_ms, message = unpack(ARGV)
-- @include now session meta place lease wake marks outcome members over evict delivered leave comeback shown_held end_one

return end_one("retried", function(facts, ms, started_ms)
  delivered(facts, started_ms)
  facts.retries = (facts.retries or 0) + 1
  facts.error = message
  put_off(id, facts, ms + tonumber(delay_ms))
  rouse() -- whoever waits must know the new time
end)
