-- Needs id, fence; shown_held, facts_of, lease_of, leave, obey, rouse_for_returned.

-- end_one(word, act): end the delivery that the caller shows. act(facts, ms, started_ms) says what becomes of its job,
-- unless the job was cancelled meanwhile. Answers {word}, {"cancelled"}, or {"stale"} with nothing changed.
local function end_one(word, act)
  return shown_held(function(ms)
    local facts = facts_of(id)
    local _, started_ms = lease_of(fence)
    leave(id, fence, facts)
    if obey(id, facts) then
      word = "cancelled"
    else
      act(facts, ms, started_ms)
    end
    rouse_for_returned()
    return word
  end)
end
