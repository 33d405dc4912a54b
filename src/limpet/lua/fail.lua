#!lua flags=allow-oom
-- End one job in failure: counted, noted among the last errors, kept in the dead list.
-- Returns {"failed"}, {"cancelled"} if it was cancelled meanwhile, or {"stale"} with nothing changed.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, dead, failures, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, events, id, fence, message, dead_limit = unpack(ARGV)
-- @include now session meta place lease wake marks outcome members over delivered leave bury shown_held end_one

return end_one("failed", function(facts, ms, started_ms)
  delivered(facts, started_ms)
  bury(id, facts, message, ms, tonumber(dead_limit))
  redis.call("PUBLISH", events, "failed " .. id)
end)
