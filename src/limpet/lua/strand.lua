#!lua flags=allow-oom
-- Set a running job aside because its worker does not know its task: parked under the task's name, no delivery spent. It
-- goes to a worker that knows the task.
-- Returns {"stranded"}, {"cancelled"} if it was cancelled meanwhile, or {"stale"} with nothing changed.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, id, fence, task = unpack(ARGV)
-- @include now session meta place lease wake marks outcome members over evict leave comeback shown_held end_one

return end_one("stranded", function(facts)
  facts.task = task
  if reclaim(id, facts) then
    redis.call("ZADD", parked, 0, parked_as(id, facts))
    rouse()
  end
end)
