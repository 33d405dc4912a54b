#!lua flags=no-writes,allow-oom
-- Look for inconsistencies: one chunk of one phase a call. Some phases look at the subjects that follow the arguments.
-- Returns {"audited", where to go on ("0": the phase is over; of subjects: how many were looked at), {kind of problem,
-- subject, ...}, {hints for later phases}}.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, workers, crew, dead, stats, sessions, lanes, wake, paused = unpack(KEYS)
local phase, cursor = unpack(ARGV)
local mending = false
-- @include now meta place lease wake marks evict delivered leave
-- @include audit audit_facts audit_crew audit_leases audit_index audit_running audit_locks audit_lines audit_line audit_jobs audit_counts

return audit()
