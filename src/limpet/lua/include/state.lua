-- Needs scheduled, parked, running, dead; parks_under, parked_as.

-- state_of(id, facts): where a job is, and the time that goes with it; "waiting" if it is nowhere else.
local function state_of(id, facts)
  if redis.call("HEXISTS", running, id) == 1 then
    return "running"
  end
  for _, place in ipairs({ { "scheduled", scheduled }, { "dead", dead } }) do
    local when = redis.call("ZSCORE", place[2], id)
    if when then
      return place[1], when
    end
  end
  if parks_under(facts) and redis.call("ZSCORE", parked, parked_as(id, facts)) then
    return "parked"
  end
  return "waiting"
end
