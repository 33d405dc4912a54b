#!lua flags=no-writes,allow-oom
-- Show one job, wherever it is.
-- Returns {"job", ms, {id, payload, facts, state, time, worker, fence}}, or {"unknown"}.

local jobs, scheduled, parked, running, leases, meta, dead = unpack(KEYS)
local at, id = unpack(ARGV)
-- @include now meta place lease look

local _, ms = now(at)
local facts = facts_of(id)
local state, when = "waiting", nil
if redis.call("HEXISTS", running, id) == 1 then
  state = "running"
elseif redis.call("ZSCORE", scheduled, id) then
  state, when = "scheduled", redis.call("ZSCORE", scheduled, id)
elseif redis.call("ZSCORE", dead, id) then
  state, when = "dead", redis.call("ZSCORE", dead, id)
elseif parks_under(facts) and redis.call("ZSCORE", parked, parked_as(id, facts)) then
  state = "parked"
end
local found = view(id, state, when)
return found and { "job", ms, found } or { "unknown" }
