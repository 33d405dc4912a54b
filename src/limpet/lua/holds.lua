#!lua flags=no-writes,allow-oom
-- Show what a worker holds by the server's memory, of hand-outs at least older_ms old: a few hand-outs a
-- call, oldest first, those behind the fence `after` ("" at first).
-- Returns {"holds", fence to go on from or "" at the end, id, fence, id, fence, ...}.

local running, leases, held = unpack(KEYS)
local at, worker, older_ms, after = unpack(ARGV)
-- @include now place lease

local _, ms = now(at)
local group, last = prefix(worker), ""
local answer = { "holds", "" }
local members = redis.call("ZRANGEBYLEX", held, "(" .. group .. after, "[" .. group .. "\255", "LIMIT", 0, 10)
for _, member in ipairs(members) do
  local fence = string.sub(member, #group + 1)
  local _, started_ms, _, ids = lease_of(fence)
  if started_ms and ms - started_ms >= tonumber(older_ms) then
    for id in string.gmatch(ids, "%S+") do
      if redis.call("HGET", running, id) == fence then
        answer[#answer + 1], answer[#answer + 2] = id, fence
      end
    end
  end
  last = fence
end
answer[2] = #members == 10 and last or ""
return answer
