#!lua flags=allow-oom
-- Add a line to the log of a running job; the last `limit` lines are kept.
-- Returns {"noted"}, or {"stale"} with nothing changed.

local running, meta, notes, sessions, lanes = unpack(KEYS)
local at, lane, seq, id, fence, line, limit = unpack(ARGV)
-- @include now session meta shown_held notebook

return note_down(function(found, ms)
  local lines = type(found.log) == "table" and found.log or {}
  lines[#lines + 1] = int(ms) .. " " .. line
  while #lines > tonumber(limit) do
    table.remove(lines, 1)
  end
  found.log = lines
  return "noted"
end)
