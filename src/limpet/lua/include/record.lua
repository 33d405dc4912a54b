-- Needs schedules.
-- The record of a schedule: the id of its last job (or "-"), a space, and its spec, which is not looked into here.

-- record_of(name): the last job id ("" if there is none) and the spec; the spec is nil if there is no such schedule.
local function record_of(name)
  local last, spec = string.match(redis.call("HGET", schedules, name) or "", "^(%S+) (.*)$")
  return last and last ~= "-" and last or "", spec
end

-- keep_record(name, last, spec): write it.
local function keep_record(name, last, spec)
  redis.call("HSET", schedules, name, (last == "" and "-" or last) .. " " .. spec)
end
