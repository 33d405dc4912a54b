#!lua flags=allow-oom
-- Note an effect of a running job by name, unless a delivery of it did so before; at most `limit` names a job.
-- Returns {"first"}, {"again"}, {"full"}, or {"stale"}; the last three change nothing.

local running, meta, notes, sessions, lanes = unpack(KEYS)
local at, lane, seq, id, fence, effect, limit = unpack(ARGV)
-- @include now session meta shown_held notebook

return note_down(function(found)
  local done, many = type(found.once) == "table" and found.once or {}, 0
  for _ in pairs(done) do
    many = many + 1
  end
  if done[effect] or many >= tonumber(limit) then
    return done[effect] and "again" or "full", true
  end
  done[effect], found.once = fence, done
  return "first"
end)
