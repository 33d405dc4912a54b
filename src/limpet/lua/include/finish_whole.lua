-- Needs jobs, running, leases, aging, held, stats, left; lease_of, prefix, valid, finish_plain, tell_done.
-- A plain hand-out that is shown as a whole is ended without a look at each of its jobs.

-- whole(first): is the hand-out at this argument shown with all its ids, and did none of them end before? Answers its
-- worker and the last of its arguments.
local function whole(first)
  local last = first + 1 + ARGV[first + 1]
  local worker, _, _, ids = lease_of(ARGV[first])
  local untouched = worker and redis.call("HEXISTS", left, ARGV[first]) == 0
  if untouched and table.concat(ARGV, " ", first + 2, last) == ids then
    return worker, last
  end
end

-- finish_whole(first): end the hand-outs that come as a whole, up to one that does not; answers the argument behind them
-- and how many jobs they had.
local function finish_whole(first)
  local done = 0
  while first < #ARGV do
    local worker, last = whole(first)
    if not worker then
      break
    end
    redis.call("HDEL", running, unpack(ARGV, first + 2, last))
    redis.call("HDEL", jobs, unpack(ARGV, first + 2, last))
    redis.call("HDEL", leases, ARGV[first])
    redis.call("ZREM", aging, ARGV[first])
    redis.call("ZREM", held, prefix(worker) .. ARGV[first])
    first, done = last + 1, done + last - first - 1
  end
  if done > 0 then
    redis.call("HINCRBY", stats, "completed", done)
  end
  return first, done
end

-- finish_all_plain(first): end what the receipts show when nothing in the queue is special; answers the positions of
-- those that hold nothing.
local function finish_all_plain(first)
  local behind, done = finish_whole(first)
  local good, stale = valid(behind, done)
  finish_plain(good)
  tell_done(done + #good)
  return stale
end
