#!lua flags=allow-oom
-- Note an effect of a running job by name, unless a delivery of it did so before; at most `limit` names a job.
-- Returns {"first"}, {"again"}, {"full"}, or {"stale"}; the last three change nothing.

local running, meta, notes, sessions, lanes = unpack(KEYS)
local at, lane, seq, id, fence, effect, limit = unpack(ARGV)
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
local done = type(found.once) == "table" and found.once or {}
local many = 0
for _ in pairs(done) do
  many = many + 1
end
if done[effect] or many >= tonumber(limit) then
  return remember(ms, { done[effect] and "again" or "full" })
end
done[effect] = fence
found.once = done
write(found)
return remember(ms, { "first" })
