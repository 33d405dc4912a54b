-- Needs jobs, meta, running; lease_of.

-- show(fence, ids, payloads, raws): a hand-out as it is answered: fence, time, id/payload/facts triples.
local function show(fence, at, ids, payloads, raws)
  local items = {}
  for i, id in ipairs(ids) do
    items[3 * i - 2], items[3 * i - 1], items[3 * i] = id, payloads[i], raws[i] or ""
  end
  return { fence, at, items }
end

-- show_again(fence, only): the same hand-out (or one job of it) once more, for a sender that lost the reply.
local function show_again(fence, only)
  local _, at, _, text = lease_of(fence)
  local ids, payloads, raws = {}, {}, {}
  for id in string.gmatch(text or "", "%S+") do
    local payload = redis.call("HGET", running, id) == fence and redis.call("HGET", jobs, id)
    if payload and (only or id) == id then
      ids[#ids + 1], payloads[#payloads + 1] = id, payload
      raws[#raws + 1] = redis.call("HGET", meta, id) or ""
    end
  end
  return show(fence, at or 0, ids, payloads, raws)
end
