#!lua flags=allow-oom
-- Renew the lease of a worker in one queue and check the receipts it shows (hand-outs: fence, number of ids, ids).
-- Returns {"renewed", {positions of receipts that hold nothing any more}, {positions of cancelled jobs}},
-- or {"lost"} if the worker was declared dead.

local clock, running, workers, crew, scheduled, cancelled = unpack(KEYS)
local at, worker = unpack(ARGV)
local n_paused = 0
-- @include now clock door receipts

local _, ms = now(at)
load_clock()
local time = tick(ms)
save_clock()
if not renew_lease(worker, time) then
  return { "lost" }
end
local good, stale = valid(3, 0)
local told = {}
for _, receipt in ipairs(good) do
  if redis.call("SISMEMBER", cancelled, receipt.id) == 1 then
    list(receipt, told)
  end
end
return { "renewed", stale, told }
