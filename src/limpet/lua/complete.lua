#!lua flags=allow-oom
-- End one job as done and keep its result, if it was pushed so that one is kept.
-- Returns {"completed"}, {"cancelled"} if it was cancelled meanwhile, or {"stale"} with nothing changed.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, events, id, fence, result = unpack(ARGV)
-- @include now session meta place lease wake marks outcome members over leave shown_held end_one

return end_one("completed", function(facts)
  forget(id, facts, "completed", result)
  redis.call("PUBLISH", events, "done 1")
end)
