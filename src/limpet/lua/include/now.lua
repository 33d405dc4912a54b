-- now(at): the server's time in microseconds and in milliseconds; `at` (microseconds) fixes it in tests.
local function now(at)
  local us = tonumber(at)
  if not us then
    local time = redis.call("TIME")
    us = time[1] * 1000000 + time[2]
  end
  return us, math.floor(us / 1000)
end

-- int(n): a whole number as text; tostring would round from fifteen digits on.
local function int(n)
  return string.format("%.0f", n)
end
