-- Needs parked, crew, worker.
-- Jobs that were set aside because a worker did not know their task.

-- next_aside(from): the first of them at or behind this point: its member, its group and its task; nil if there is none.
local function next_aside(from)
  local member = redis.call("ZRANGEBYLEX", parked, from, "(task;", "LIMIT", 0, 1)[1]
  local size = member and string.match(member, "^task:(%d+):")
  if size then
    local group = string.sub(member, 1, #size + tonumber(size) + 7)
    return member, group, string.sub(group, #size + 7, -2)
  end
end

-- knowledge(): the names of the tasks this worker knows.
local function knowledge()
  local fine, info = pcall(cjson.decode, redis.call("HGET", crew, worker) or "")
  local known = {}
  for _, name in ipairs(fine and type(info) == "table" and type(info.tasks) == "table" and info.tasks or {}) do
    known[name] = true
  end
  return known
end

-- each_known(visit): show jobs aside whose task this worker knows, until visit(member) answers true; looks at 100 at most.
local function each_known(visit)
  if redis.call("ZLEXCOUNT", parked, "[task:", "(task;") == 0 then
    return
  end
  local known, from = knowledge(), "[task:"
  for _ = 1, 100 do
    local member, group, task = next_aside(from)
    if not member or (known[task] and visit(member)) then
      return
    end
    from = known[task] and "(" .. member or "[" .. group .. "\255"
  end
end
