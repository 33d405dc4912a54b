-- Needs jobs, results, expiring, notes, groups, members; has_members, call_followers, tally_of, facts_of, note, split, rouse,
-- report, scan, checks.
-- Checks what is kept beside the jobs: outcomes, notes, groups.

function checks.results()
  return scan("HSCAN", results, function(id)
    if not redis.call("ZSCORE", expiring, id) and report("outcome never forgotten", id) then
      redis.call("ZADD", expiring, 0, id)
    end
  end)
end

function checks.expiring()
  return scan("ZSCAN", expiring, function(id)
    if redis.call("HEXISTS", results, id) == 0 and report("end of no outcome", id) then
      redis.call("ZREM", expiring, id)
    end
  end)
end

function checks.notes()
  return scan("HSCAN", notes, function(id)
    local facts = facts_of(id)
    if redis.call("HEXISTS", jobs, id) == 0 then
      if report("notes of no job", id) then
        redis.call("HDEL", notes, id)
      end
    elseif not facts.noted and report("notes nobody knows of", id) then
      facts.noted = true
      note(id, facts)
    end
  end)
end

function checks.groups()
  return scan("HSCAN", groups, function(group, raw)
    local fine, tally = pcall(cjson.decode, raw)
    if (not fine or type(tally) ~= "table" or not has_members(group)) and report("tally of no group", group) then
      redis.call("HDEL", groups, group)
    end
  end)
end

-- members: who is no member any more must not be waited for.
function checks.members()
  return scan("ZSCAN", members, function(member, score)
    local group, id = split(member)
    local there = group and redis.call("HEXISTS", jobs, id) == 1 and facts_of(id).group == group
    if there and score ~= "0" and report("stray member", member) then
      redis.call("ZADD", members, 0, member)
    elseif not there and report("stray member", member) then
      redis.call("ZREM", members, member)
      if group and not has_members(group) then
        call_followers(group, tally_of(group))
        redis.call("HDEL", groups, group)
        rouse()
      end
    end
  end)
end
