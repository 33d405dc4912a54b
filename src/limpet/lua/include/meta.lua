-- Needs meta.
local NUMBERS = { "place", "deliveries", "crashes", "retries", "started", "enqueued", "limit", "keep" }
local TEXTS = { "lock", "unique", "after", "group", "task" }

-- decode(raw): the facts of a job; a torn record counts as no facts.
local function decode(raw)
  local fine, facts = pcall(cjson.decode, raw or "{}")
  if not fine or type(facts) ~= "table" then
    return {}
  end
  for _, name in ipairs(NUMBERS) do
    facts[name] = tonumber(facts[name])
  end
  for _, name in ipairs(TEXTS) do
    facts[name] = type(facts[name]) == "string" and facts[name] or nil
  end
  return facts
end

-- facts_of(id): what is not plain about a job.
local function facts_of(id)
  return decode(redis.call("HGET", meta, id))
end

-- note(id, facts): keep the facts of a job; a plain job keeps none.
local function note(id, facts)
  if next(facts) == nil then
    redis.call("HDEL", meta, id)
  else
    redis.call("HSET", meta, id, cjson.encode(facts))
  end
end
