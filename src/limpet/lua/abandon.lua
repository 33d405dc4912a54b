#!lua flags=allow-oom
-- Give up a request (lane and seq) whose reply never came: if it handed jobs out, they go back to their
-- place; if it did not arrive, it will be refused when it does.
-- Returns {"abandoned", jobs returned}.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq = unpack(ARGV)
-- @include now session meta place lease wake marks outcome members over evict delivered leave comeback

local answered = recall()
if answered and answered[1] == "abandoned" then
  return answered
end
local _, ms = now(at)
local fence = answered and (answered[1] == "popped" or answered[1] == "ready") and answered[2] or ""
local _, started_ms, _, ids = lease_of(fence)
local returned = 0
for id in string.gmatch(ids or "", "%S+") do
  if redis.call("HGET", running, id) == fence then
    local facts = facts_of(id)
    leave(id, fence, facts)
    delivered(facts, started_ms)
    returned = returned + 1
    if not obey(id, facts) then
      put_back(id, facts)
    end
  end
end
if returned > 0 then
  rouse()
end
if not answered or answered[1] ~= "superseded" then
  remember(ms, { "abandoned", returned })
end
return { "abandoned", returned }
