#!lua flags=allow-oom
-- Look for inconsistencies as verify does, and mend each in the same step.
-- Returns what verify returns; the problems are those that were mended.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, dead, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members, schedules, firing = unpack(KEYS)
local phase, cursor = unpack(ARGV)
local mending = true
-- @include now record meta place lease wake marks outcome members over evict delivered leave comeback
-- @include audit audit_facts audit_crew audit_leases audit_index audit_running audit_locks audit_called audit_lines audit_line audit_jobs audit_counts audit_extras audit_schedules

return audit()
