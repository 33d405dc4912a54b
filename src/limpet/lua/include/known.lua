-- Needs jobs, parked, n_parked; taken, sift, facts_of, note, line_up, parked_id, each_known, rouse.
-- Jobs that were set aside because a worker did not know their task go to those who do.

-- pick_up(member): hand one out; a suspect goes to its own line first.
local function pick_up(member)
  local id = parked_id(member)
  local facts = facts_of(id)
  redis.call("ZREM", parked, member)
  if redis.call("HEXISTS", jobs, id) == 0 then
    return
  end
  facts.task = nil
  note(id, facts)
  if (facts.crashes or 0) > 0 then
    line_up(id, facts)
    rouse()
  else
    sift({ id })
  end
end

-- take_known(count): fill up from what was set aside for want of this worker's knowledge.
local function take_known(count)
  if n_parked > 0 then
    each_known(function(member)
      if #taken == count then
        return true
      end
      pick_up(member)
    end)
  end
end
