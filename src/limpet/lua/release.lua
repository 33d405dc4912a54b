#!lua flags=allow-oom
-- Give jobs back: to their place in line, or for `delay_ms` later. Receipts are hand-outs: fence, number of
-- ids, ids.
-- Returns {"released", {positions of those that were not}}: stale receipts, and jobs that were cancelled meanwhile.

local clock, jobs, front, suspects, scheduled, parked, running, leases, left, aging, held, meta, unique, locks, trials, cancelled, stats, sessions, lanes, wake, paused, results, expiring, notes, groups, members = unpack(KEYS)
local at, lane, seq, events, delay_ms = unpack(ARGV)
-- @include now session meta place lease wake marks outcome members over evict delivered leave comeback receipts

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local good, stale = valid(6, 0)
for _, receipt in ipairs(good) do
  local id, facts = receipt.id, facts_of(receipt.id)
  local _, started_ms = lease_of(receipt.fence)
  leave(id, receipt.fence, facts)
  delivered(facts, started_ms)
  if obey(id, facts) then
    list(receipt, stale)
  elseif delay_ms == "" then
    put_back(id, facts)
  else
    put_off(id, facts, ms + tonumber(delay_ms))
  end
end
if #good > 0 then
  rouse()
  redis.call("PUBLISH", events, "work " .. #good)
end
return remember(ms, { "released", stale })
