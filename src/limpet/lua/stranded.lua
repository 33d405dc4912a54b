#!lua flags=no-writes,allow-oom
-- List tasks whose jobs were set aside because a worker did not know them, at most 100.
-- Returns {"stranded", task, jobs, ...}.

local parked, crew = unpack(KEYS)
local worker = ""
-- @include aside

local answer, from = { "stranded" }, "[task:"
for _ = 1, 100 do
  local member, group, task = next_aside(from)
  if not member then
    break
  end
  answer[#answer + 1], answer[#answer + 2] = task, redis.call("ZLEXCOUNT", parked, "[" .. group, "[" .. group .. "\255")
  from = "[" .. group .. "\255"
end
return answer
