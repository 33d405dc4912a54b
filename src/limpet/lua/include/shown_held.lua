-- Needs at, id, fence, running; now, recall, remember.

-- shown_held(act): act(ms) does something for the delivery that the caller shows, and answers a word. Whoever does not hold the
-- job changes nothing and hears {"stale"}.
local function shown_held(act)
  local answered = recall()
  if answered then
    return answered
  end
  local _, ms = now(at)
  if redis.call("HGET", running, id) ~= fence then
    return remember(ms, { "stale" })
  end
  return remember(ms, { act(ms) })
end
