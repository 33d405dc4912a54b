-- Needs jobs, meta, running; lease_of.
-- A hand-out is answered as its fence, the time, the ids, their payloads and, unless all are plain, their facts.

-- show_again(fence, only): the same hand-out (or one job of it) once more, for a sender that lost the reply.
local function show_again(fence, only)
  local _, at, _, text = lease_of(fence)
  local ids, payloads, raws, special = {}, {}, {}, false
  for id in string.gmatch(text or "", "%S+") do
    local payload = redis.call("HGET", running, id) == fence and redis.call("HGET", jobs, id)
    if payload and (only or id) == id then
      ids[#ids + 1], payloads[#payloads + 1] = id, payload
      raws[#raws + 1] = redis.call("HGET", meta, id) or ""
      special = special or raws[#raws] ~= ""
    end
  end
  return { fence, at or 0, ids, payloads, special and raws or {} }
end
