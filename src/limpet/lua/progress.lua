#!lua flags=allow-oom
-- Note how far a running job has come.
-- Returns {"noted"}, or {"stale"} with nothing changed.

local running, meta, notes, sessions, lanes = unpack(KEYS)
local at, lane, seq, id, fence, fraction, said = unpack(ARGV)
-- @include now session meta shown_held notebook

return note_down(function(found, ms)
  found.fraction, found.said, found.at = tonumber(fraction), said, ms
  return "noted"
end)
