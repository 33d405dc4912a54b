#!lua flags=no-writes,allow-oom
-- Show one job, wherever it is.
-- Returns {"job", ms, {id, payload, facts, state, time, worker, fence}}, or {"unknown"}.

local jobs, scheduled, parked, running, leases, meta, dead = unpack(KEYS)
local at, id = unpack(ARGV)
-- @include now meta place lease look state

local _, ms = now(at)
local found = view(id, state_of(id, facts_of(id)))
return found and { "job", ms, found } or { "unknown" }
