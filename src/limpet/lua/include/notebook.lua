-- Needs id, notes; shown_held, facts_of, note.
-- What a job tells about itself while it runs: progress, log lines, effects it has had.

-- page(): the notes of this job; a torn page counts as empty.
local function page()
  local fine, found = pcall(cjson.decode, redis.call("HGET", notes, id) or "{}")
  return fine and type(found) == "table" and found or {}
end

-- keep(found): keep the page. The job is no plain one any more: who ends it must know of the page.
local function keep(found)
  if redis.call("HSET", notes, id, cjson.encode(found)) == 1 then
    local facts = facts_of(id)
    facts.noted = true
    note(id, facts)
  end
end

-- note_down(act): act(found, ms) changes the page and answers a word; true behind it if there is nothing to keep.
local function note_down(act)
  return shown_held(function(ms)
    local found = page()
    local word, unchanged = act(found, ms)
    if not unchanged then
      keep(found)
    end
    return word
  end)
end
