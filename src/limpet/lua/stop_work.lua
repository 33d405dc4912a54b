#!lua flags=allow-oom
-- A worker leaves a queue: what it holds goes back to its place, no attempt spent, `limit` jobs a call.
-- Returns {"stopped", returned}, or {"more", returned} when the call must be made again.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, events, worker, limit = unpack(ARGV)
-- @include now session meta place lease wake marks outcome members over evict delivered leave comeback handback retire

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local returned, more = hand_back(worker, tonumber(limit), put_back)
if returned > 0 then
  rouse()
  redis.call("PUBLISH", events, "work " .. returned)
end
if not more then
  redis.call("ZREM", workers, worker)
  redis.call("HDEL", crew, worker)
end
local answer = remember(ms, { more and "more" or "stopped", returned })
retire()
return answer
