-- now(at): the server's time in microseconds and in milliseconds; in tests `at` (microseconds) fixes it, or is added
-- to it if it has a sign.
local function now(at)
  local us = tonumber(at)
  if not us or string.sub(at, 1, 1) == "+" then
    local time = redis.call("TIME")
    us = time[1] * 1000000 + time[2] + (us or 0)
  end
  return us, math.floor(us / 1000)
end

-- int(n): a whole number as text; tostring is slower, and rounds from fifteen digits on.
local function int(n)
  return string.format("%d", n)
end
