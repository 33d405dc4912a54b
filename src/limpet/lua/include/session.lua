-- Needs sessions, lanes, lane, seq, int.
-- A sender numbers its requests. The last one is kept with its answer, so that a request whose
-- reply got lost can be sent again: it is answered, not done again.

-- recall(): the answer this request got before; nil if it is new.
local function recall()
  local record = lane ~= "" and redis.call("HGET", sessions, lane)
  if not record then
    redis.call("LLEN", lanes) -- of another type? then fail here, before the first write
    return nil
  end
  local last, answer = string.match(record, "^(%d+) %d+ (.*)$")
  if not last or tonumber(seq) > tonumber(last) then
    return nil
  end
  return tonumber(seq) == tonumber(last) and cjson.decode(answer) or { "superseded" }
end

-- forget_silent(ms): look at the sender that came first; drop it if it said nothing for an hour.
local function forget_silent(ms)
  local first = redis.call("LINDEX", lanes, 0)
  local record = first and redis.call("HGET", sessions, first)
  local at = tonumber(string.match(record or "", "^%d+ (%d+)")) or 0
  if first and ms - at > 3600000 then
    redis.call("LPOP", lanes)
    redis.call("HDEL", sessions, first)
  elseif first then
    redis.call("LMOVE", lanes, lanes, "LEFT", "RIGHT")
  end
end

-- remember(ms, answer): keep the answer of this request; answers it.
local function remember(ms, answer)
  if lane ~= "" then
    local record = seq .. " " .. int(ms) .. " " .. cjson.encode(answer)
    if redis.call("HSET", sessions, lane, record) == 1 then
      redis.call("RPUSH", lanes, lane)
      forget_silent(ms)
      forget_silent(ms)
    end
  end
  return answer
end
