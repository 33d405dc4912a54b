#!lua flags=allow-oom
-- Note how far a running job has come.
-- Returns {"noted"}, or {"stale"} with nothing changed.

local running, meta, notes, sessions, lanes = unpack(KEYS)
local at, lane, seq, id, fence, fraction, said = unpack(ARGV)
-- @include now session meta notebook

local answered = recall()
if answered then
  return answered
end

local _, ms = now(at)
if not is_held() then
  return remember(ms, { "stale" })
end
local found = page()
found.fraction, found.said, found.at = tonumber(fraction), said, ms
write(found)
return remember(ms, { "noted" })
