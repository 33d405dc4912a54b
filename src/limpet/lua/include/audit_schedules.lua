-- Needs schedules, firing; record_of, report, scan, checks.
-- Checks the schedules: each has a record that can be read and a time. A time of zero is set anew by whoever fires.

-- readable(name): does its record hold a spec?
local function readable(name)
  local _, spec = record_of(name)
  local fine, value = pcall(cjson.decode, spec or "")
  return fine and type(value) == "table"
end

function checks.schedules()
  return scan("HSCAN", schedules, function(name)
    if not readable(name) then
      if report("unreadable schedule", name) then
        redis.call("HDEL", schedules, name)
        redis.call("ZREM", firing, name)
      end
    elseif not redis.call("ZSCORE", firing, name) and report("schedule that never fires", name) then
      redis.call("ZADD", firing, 0, name)
    end
  end)
end

function checks.firing()
  return scan("ZSCAN", firing, function(name, time)
    if redis.call("HEXISTS", schedules, name) == 0 then
      if report("time of no schedule", name) then
        redis.call("ZREM", firing, name)
      end
    elseif not (tonumber(time) >= 0 and tonumber(time) < 1e15) and report("schedule that never fires", name) then
      redis.call("ZADD", firing, 0, name)
    end
  end)
end
