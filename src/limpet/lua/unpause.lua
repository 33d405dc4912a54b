#!lua flags=allow-oom
-- Hand jobs out again, and wake a worker if some wait.
-- Returns {"unpaused"}.

local waiting, front, suspects, scheduled, wake, paused = unpack(KEYS)

redis.call("DEL", paused)
if n_waiting + n_front + n_suspects + n_scheduled > 0 and n_wake == 0 then
  redis.call("RPUSH", wake, "1")
end
return { "unpaused" }
