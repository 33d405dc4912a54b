-- Needs phase, cursor, mending, running, dead, scheduled, suspects, front, parked, n_waiting; prefix, parks_under, parked_as, obey,
-- put_back, rouse.
-- What verify and repair share. A check looks at one chunk of one key and reports what is wrong there; a repair mends
-- each problem in the same step. Leads are hints for the caller, who sees the queue as a whole.

local CHUNK = 200
local problems, leads, checks = {}, {}, {}

-- report(kind, subject): note a problem; answers whether to mend it.
local function report(kind, subject)
  problems[#problems + 1], problems[#problems + 2] = kind, subject
  return mending
end

-- hint(lead): tell the caller something it may need later.
local function hint(lead)
  leads[#leads + 1] = lead
end

-- scan(command, key, check): show one chunk of a key to check(member, value); answers where to go on.
local function scan(command, key, check)
  local step = redis.call(command, key, cursor, "COUNT", CHUNK)
  for i = 1, #step[2], command == "SSCAN" and 1 or 2 do
    check(step[2][i], step[2][i + 1])
  end
  return step[1]
end

-- split(member): the key whose prefix a member bears, and the rest; nil if it bears none.
local function split(member)
  local digits = string.match(member, "^(%d+):")
  local size = tonumber(digits) or #member
  local key = digits and string.sub(member, #digits + 2, #digits + 1 + size)
  local group = key and prefix(key)
  if group and string.sub(member, 1, #group) == group then
    return key, string.sub(member, #group + 1)
  end
end

-- places(id, facts): where a job is, the place it should keep first; the line of waiting ids is not looked at.
local function places(id, facts)
  local found = {}
  if redis.call("HEXISTS", running, id) == 1 then
    found[1] = running
  end
  for _, key in ipairs({ dead, scheduled, suspects, front }) do
    if redis.call("ZSCORE", key, id) then
      found[#found + 1] = key
    end
  end
  if parks_under(facts) and redis.call("ZSCORE", parked, parked_as(id, facts)) then
    found[#found + 1] = parked
  end
  return found
end

-- allowance(): how many of the subjects in the arguments may be looked for in the line of waiting ids, each by a look
-- at all of it.
local function allowance()
  return math.min(#ARGV - 2, CHUNK, math.max(math.floor(200000 / (n_waiting + 1)), 1))
end

-- bring_back(id, facts): a job that is nowhere gets its place in line, or ends if it was cancelled.
local function bring_back(id, facts)
  if not obey(id, facts) then
    put_back(id, facts)
  end
  rouse()
end

-- audit(): do one step of one phase.
local function audit()
  return { "audited", checks[phase](), problems, leads }
end
