-- Needs running, notes, id, fence; facts_of, note.
-- What a job tells about itself while it runs: progress, log lines, effects it has had.

-- page(): the notes of this job; a torn page counts as empty.
local function page()
  local fine, found = pcall(cjson.decode, redis.call("HGET", notes, id) or "{}")
  return fine and type(found) == "table" and found or {}
end

-- is_held(): whoever writes must hold the job.
local function is_held()
  return redis.call("HGET", running, id) == fence
end

-- write(found): keep the page. The job is no plain one any more: who ends it must know of the page.
local function write(found)
  if redis.call("HSET", notes, id, cjson.encode(found)) == 1 then
    local facts = facts_of(id)
    facts.noted = true
    note(id, facts)
  end
end
