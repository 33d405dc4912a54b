#!lua flags=no-writes,allow-oom
-- List schedules by the time they fire next, from a position on; with due "1" only those whose time has come.
-- Returns {"schedules", ms, {name, spec, next fire time (ms), last job id or ""} ...}.

local schedules, firing = unpack(KEYS)
local at, due, start, count = unpack(ARGV)
-- @include now record

local _, ms = now(at)
local latest = due == "1" and int(ms) or "+inf"
local answer = { "schedules", ms }
local found = redis.call("ZRANGEBYSCORE", firing, "-inf", latest, "WITHSCORES", "LIMIT", start, count)
for i = 1, #found, 2 do
  local last, spec = record_of(found[i])
  answer[#answer + 1] = { found[i], spec or "", found[i + 1], last }
end
return answer
