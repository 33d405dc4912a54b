#!lua flags=allow-oom
-- Cancel jobs by id, if they still have the payload asked for (check is "1") or whatever they have ("").
-- Those that do not run are gone at once; the workers of running ones are told.
-- Returns {"cancelled", removed, told}.

local clock, jobs, waiting, front, suspects, scheduled, parked, running, meta, unique, locks, cancelled, dead, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, events, check, payload = unpack(ARGV)
-- @include now session meta place wake marks outcome members over evict ghosts

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local removed, told = 0, 0
for i = 7, #ARGV do
  local id = ARGV[i]
  local body = redis.call("HGET", jobs, id)
  if body and (check == "" or body == payload) and not redis.call("ZSCORE", dead, id) then
    if redis.call("HEXISTS", running, id) == 1 then
      told = told + redis.call("SADD", cancelled, id)
    else
      evict(id, facts_of(id))
      removed = removed + 1
    end
    redis.call("PUBLISH", events, "cancel " .. id)
  end
end
if removed > 0 then
  redis.call("HINCRBY", stats, "cancelled", removed)
  drop_ghosts()
  rouse_for_returned()
end
return remember(ms, { "cancelled", removed, told })
