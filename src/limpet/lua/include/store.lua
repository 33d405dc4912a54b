-- store(hash, fields): write fields. The server keeps a small hash as a list and walks through it for every field; one
-- that gets many at once is kept as a table instead, which a field too long for a list brings about.
local function store(hash, fields)
  local many = #fields
  if many < 64 then
    redis.call("HSET", hash, unpack(fields))
    return
  end
  local long = string.rep("-", 65)
  fields[many + 1], fields[many + 2] = long, ""
  redis.call("HSET", hash, unpack(fields))
  redis.call("HDEL", hash, long)
end
