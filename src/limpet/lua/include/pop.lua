-- Needs what take needs, and door, hand, take, grant.

-- pop(us, ms): take and grant; answers what must be remembered of it: the fence stands for the jobs.
local function pop(us, ms)
  local draining, more = take(tonumber(count))
  local hint = due_in(ms)
  if #taken == 0 then
    return { "none", hint, more and 1 or 0, draining and 1 or 0 }
  end
  return { "popped", grant(worker, taken, us, ms), hint, more and 1 or 0, draining and 1 or 0 }
end

-- first_time(record, ms): the reply to a request that was carried out just now.
local function first_time(record, ms)
  if record[1] ~= "popped" then
    return record
  end
  return { "popped", { record[2], ms, taken, bodies, raws }, record[3], record[4], record[5], record[6] }
end

-- again(record): the reply to the same request sent again.
local function again(record)
  if record[1] ~= "popped" then
    return record
  end
  return { "popped", show_again(record[2]), record[3], record[4], record[5], record[6] }
end
