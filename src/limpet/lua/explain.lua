#!lua flags=no-writes,allow-oom
-- Gather in one look all that decides when a job runs.
-- Returns {"job", ms, {id, payload, facts, state, time, worker, fence}, {name, number, ...}, holders, crew,
-- awaited, tally}: who holds its lock {id, worker, ms, ...}, who works here {worker, JSON, ...}, the members of a group
-- it waits for {id, ...}, and how others ended (JSON);
-- {"ended", word, ms} if it is over and that is known; or {"unknown"}.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, leases, meta, locks, trials, cancelled, workers, crew, dead, stats, results, expiring, groups, members, paused = unpack(KEYS)
local at, id = unpack(ARGV)
-- @include now meta place lease look state ghosts

local _, ms = now(at)
-- @include circumstances

local facts = facts_of(id)
local found = view(id, state_of(id, facts))
if not found then
  local word, ended_ms = string.match(redis.call("HGET", results, id) or "", "^(%a+) (%d+) ")
  local known = word and (tonumber(redis.call("ZSCORE", expiring, id)) or 0) > ms
  return known and { "ended", word, tonumber(ended_ms) } or { "unknown" }
end

local time, ghosts = horizon(), tonumber(redis.call("HGET", stats, "ghosts")) or 0
local alive = redis.call("ZCOUNT", workers, int(time), "+inf")
local lease_end = tonumber(redis.call("ZSCORE", workers, found[6]) or "-inf") or 0
local position, guess = 0, 0
if found[4] == "waiting" then
  position, guess = position_of(id, facts)
end
local numbers = {
  { "position", position },
  { "guess", guess },
  { "line", n_waiting - ghosts + n_front + n_suspects },
  { "paused", n_paused },
  { "running", n_running },
  { "told", redis.call("SISMEMBER", cancelled, id) },
  { "workers", alive },
  { "silent", n_workers - alive },
  { "alive", lease_end >= time and 1 or 0 },
  { "trials", n_trials },
}
local holders, before, tally = {}, {}, ""
if facts.lock then
  holders = holders_of(facts.lock)
  numbers[#numbers + 1] = { "held", redis.call("ZLEXCOUNT", locks, range(prefix(facts.lock))) }
end
if facts.after then
  before, tally = awaited(facts.after), redis.call("HGET", groups, facts.after) or ""
  numbers[#numbers + 1] = { "left", redis.call("ZLEXCOUNT", members, range(prefix(facts.after))) }
end
if found[4] == "parked" then
  local group = parks_under(facts)
  numbers[#numbers + 1] = { "before", redis.call("ZLEXCOUNT", parked, "[" .. group, "(" .. parked_as(id, facts)) }
end
local flat = {}
for _, pair in ipairs(numbers) do
  flat[#flat + 1], flat[#flat + 2] = pair[1], pair[2]
end
return { "job", ms, found, flat, holders, crew_at(time), before, tally }
