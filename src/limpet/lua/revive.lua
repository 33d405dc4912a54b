#!lua
-- Give dead jobs another life, at the end of the line: by id, or without ids the newest `count`. A job whose
-- unique key is taken by now stays dead.
-- Returns {"revived", {ids}}.

local clock, jobs, waiting, meta, unique, dead, stats, sessions, lanes, wake, paused = unpack(KEYS)
local at, lane, seq, events, count = unpack(ARGV)
-- @include now clock session meta wake

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
load_clock()
local ids, revived = { unpack(ARGV, 6) }, {}
if #ids == 0 then
  ids = redis.call("ZREVRANGE", dead, 0, tonumber(count) - 1)
end
for _, id in ipairs(ids) do
  local facts = facts_of(id)
  local taken = facts.unique and redis.call("HGET", unique, facts.unique)
  if not taken and redis.call("ZREM", dead, id) == 1 and redis.call("HEXISTS", jobs, id) == 1 then
    local _, before = mint(ms, 1)
    facts.place, facts.crashes, facts.retries, facts.reason, facts.error = before + 1, nil, nil, nil, nil
    note(id, facts)
    if facts.unique then
      redis.call("HSET", unique, facts.unique, id)
    end
    redis.call("RPUSH", waiting, id .. " " .. string.format("%.0f", facts.place))
    revived[#revived + 1] = id
  end
end
save_clock()
if #revived > 0 then
  rouse()
  redis.call("PUBLISH", events, "work " .. #revived)
end
return remember(ms, { "revived", revived })
