#!lua flags=no-writes,allow-oom
-- Show jobs of one state by position; a negative start counts from the end. Dead ones: newest first;
-- running ones: oldest delivery first.
-- Returns {"jobs", ms, {id, payload, facts, state, time, worker, fence} ...}.

local jobs, waiting, front, suspects, scheduled, parked, running, leases, aging, meta, dead, stats = unpack(KEYS)
local at, state, start, count = unpack(ARGV)
-- @include now meta place lease look ghosts walk lines

local _, ms = now(at)
local ghosts = tonumber(redis.call("HGET", stats, "ghosts")) or 0
local totals = {
  waiting = n_suspects + n_front + n_waiting - ghosts,
  scheduled = n_scheduled,
  parked = n_parked,
  running = n_running,
  dead = n_dead,
}
local first = tonumber(start)
first = first < 0 and first + totals[state] or first
local answer = { "jobs", ms }
if first >= 0 and first < totals[state] then
  for _, entry in ipairs(lines[state](first, math.min(first + count, totals[state]) - 1, ghosts)) do
    answer[#answer + 1] = view(entry[1], state, entry[2])
  end
end
return answer
