#!lua flags=allow-oom
-- Look for inconsistencies as verify does, and mend each in the same step.
-- Returns what verify returns; the problems are those that were mended.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, dead, stats, sessions, lanes, wake, paused = unpack(KEYS)
local phase, cursor = unpack(ARGV)
local mending = true
-- @include now meta place lease wake marks evict delivered leave
-- @include audit audit_facts audit_crew audit_leases audit_index audit_running audit_locks audit_lines audit_line audit_jobs audit_counts

return audit()
