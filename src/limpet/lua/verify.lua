#!lua flags=no-writes,allow-oom
-- Look for inconsistencies: one chunk of one phase a call. Some phases look at the subjects that follow the arguments.
-- Returns {"audited", where to go on ("0": the phase is over; of subjects: how many were looked at), {kind of problem,
-- subject, ...}, {hints for later phases}}.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, dead, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members, schedules, firing = unpack(KEYS)
local phase, cursor = unpack(ARGV)
local mending = false
-- @include now record meta place lease wake marks outcome members over evict delivered leave comeback
-- @include audit audit_facts audit_crew audit_leases audit_index audit_running audit_locks audit_called audit_lines audit_line audit_jobs audit_counts audit_extras audit_schedules

return audit()
