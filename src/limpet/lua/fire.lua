#!lua
-- Fire a schedule: push the jobs that follow the arguments as pairs of how and payload (none: skip this time), and
-- set the next fire time, in one step. Nothing is done unless the schedule is the one the sender saw, fires next at
-- `expected` (ms), and that time has come; so each fire time has one effect, however many senders there are. With
-- expected "now" the jobs are pushed at once and the next fire time stays. With overlap "skip" nothing is pushed
-- while the last job is still in the queue.
-- Returns {"fired", ms until the next schedule fires, id, ...}, {"skipped" | "overlap", ms until ...}, or one of
-- {"late"} (another time is next by now), {"early"}, {"gone"} (removed or changed).

local clock, jobs, waiting, front, scheduled, parked, running, meta, unique, dead, stats, sessions, lanes, wake, paused, members, schedules, firing = unpack(KEYS)
local at, lane, seq, events, schedule, spec, expected, next_ms, overlap = unpack(ARGV)
-- @include now clock born session meta place wake members join enter push_all record

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
local last, known = record_of(schedule)
local planned = redis.call("ZSCORE", firing, schedule)

-- refusal(): why nothing is to be done; nil if it is time.
local function refusal()
  if known ~= spec or not planned then
    return "gone"
  elseif expected == "now" then
    return nil
  elseif int(tonumber(planned)) ~= expected then
    return "late"
  end
  return tonumber(expected) > ms and "early" or nil
end

-- in_queue(id): is this job still to be done, or being done?
local function in_queue(id)
  return redis.call("HEXISTS", jobs, id) == 1 and not redis.call("ZSCORE", dead, id)
end

-- ids_of(pushed): the ids in the answer of a push.
local function ids_of(pushed)
  local ids = {}
  for i = 1, pushed[1] == "range" and pushed[5] or (#pushed - 2) / 2 do
    ids[i] = pushed[1] == "range" and pushed[3] .. "-" .. int(pushed[4] + i) or pushed[2 * i + 1]
  end
  return ids
end

-- act(): push unless there is nothing to push or the last job is not over; answers the word and the ids.
local function act(hows)
  if #hows == 0 then
    return "skipped", {}
  elseif overlap == "skip" and in_queue(last) then
    return "overlap", {}
  end
  local ids = ids_of(push_all(hows, 10, ms))
  keep_record(schedule, ids[#ids], spec)
  return "fired", ids
end

local refused = refusal()
if refused then
  return remember(ms, { refused })
end
local word, ids = act(parse(10))
if expected ~= "now" then
  redis.call("ZADD", firing, next_ms, schedule)
end
local soonest = tonumber(redis.call("ZRANGE", firing, 0, 0, "WITHSCORES")[2])
return remember(ms, { word, math.max(math.min(soonest - ms, 1000000), 0), unpack(ids) })
