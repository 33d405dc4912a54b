-- Needs meta.
local NUMBERS = { "place", "deliveries", "crashes", "retries", "started", "enqueued", "limit" }

-- decode(raw): the facts of a job; a torn record counts as no facts.
local function decode(raw)
  local fine, facts = pcall(cjson.decode, raw or "{}")
  if not fine or type(facts) ~= "table" then
    return {}
  end
  for _, name in ipairs(NUMBERS) do
    facts[name] = tonumber(facts[name])
  end
  facts.lock = type(facts.lock) == "string" and facts.lock or nil
  facts.unique = type(facts.unique) == "string" and facts.unique or nil
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
