-- Needs jobs, meta, parked, stats, groups, members; keep_outcome, forget_outcome, has_members, facts_of, note, unmark, line_up, prefix,
-- parked_id.
-- What the end of a job means for others: who waits for its result, and who follows its group.
local ended

-- call_off(id, facts): a follower that needed all of its group to succeed.
local function call_off(id, facts)
  redis.call("HDEL", jobs, id)
  redis.call("HDEL", meta, id)
  unmark(id, facts)
  redis.call("HINCRBY", stats, "cancelled", 1)
  ended(id, facts, "cancelled", "a step before it did not succeed")
end

-- follow(id, facts, tally): the group is complete: its follower goes to its place in line, or is called off.
local function follow(id, facts, tally)
  facts.after = nil
  if facts.needs and tally.failed + tally.cancelled > 0 then
    call_off(id, facts)
    return
  end
  facts.tally = { done = tally.done, failed = tally.failed, cancelled = tally.cancelled }
  note(id, facts)
  line_up(id, facts)
end

-- call_followers(group, tally): the jobs that wait for the end of a group.
local function call_followers(group, tally)
  local stem = "after:" .. prefix(group)
  for _, member in ipairs(redis.call("ZRANGEBYLEX", parked, "[" .. stem, "[" .. stem .. "\255")) do
    local id = parked_id(member)
    redis.call("ZREM", parked, member)
    if redis.call("HEXISTS", jobs, id) == 1 then
      follow(id, facts_of(id), tally)
    end
  end
end

-- tally_of(group): how its members ended so far.
local function tally_of(group)
  local fine, kept = pcall(cjson.decode, redis.call("HGET", groups, group) or "{}")
  local tally = {}
  for _, word in ipairs({ "done", "failed", "cancelled" }) do
    tally[word] = fine and type(kept) == "table" and tonumber(kept[word]) or 0
  end
  return tally
end

-- leave_group(group, id, how): one member less to wait for.
local function leave_group(group, id, how)
  redis.call("ZREM", members, prefix(group) .. id)
  local tally = tally_of(group)
  tally[how] = tally[how] + 1
  if has_members(group) then
    redis.call("HSET", groups, group, cjson.encode(tally))
    return
  end
  redis.call("HDEL", groups, group)
  call_followers(group, tally)
end

-- ended(id, facts, how, text): a job is over: "done", "failed" or "cancelled", with its result or the reason.
ended = function(id, facts, how, text)
  if facts.keep then
    keep_outcome(id, facts, how, text)
  elseif facts.enqueued then
    forget_outcome(id)
  end
  if facts.group then
    leave_group(facts.group, id, how)
  end
end
