#!lua flags=no-writes,allow-oom
-- One step of a search for jobs with a payload.
-- Returns {"found", next cursor, {id, "1" if it runs else "0", ...}}; cursor "0" is the end.

local jobs, running = unpack(KEYS)
local cursor, payload = unpack(ARGV)

local step = redis.call("HSCAN", jobs, cursor, "COUNT", 500)
local found = {}
for i = 1, #step[2], 2 do
  if step[2][i + 1] == payload then
    found[#found + 1] = step[2][i]
    found[#found + 1] = redis.call("HEXISTS", running, step[2][i]) == 1 and "1" or "0"
  end
end
return { "found", step[1], found }
