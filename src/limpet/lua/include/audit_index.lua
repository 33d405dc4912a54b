-- Needs left, aging, held; lease_at, report, scan, split, checks.
-- Checks that nothing is kept for hand-outs that are over.

-- over(name, fence, known): a note about a hand-out that is not there; answers whether to remove it.
local function over(name, fence, known)
  return not known and report("note of no lease", name .. " " .. fence)
end

function checks.left()
  return scan("HSCAN", left, function(fence)
    if over("left", fence, lease_at(fence)) then
      redis.call("HDEL", left, fence)
    end
  end)
end

function checks.aging()
  return scan("ZSCAN", aging, function(fence)
    if over("aging", fence, lease_at(fence)) then
      redis.call("ZREM", aging, fence)
    end
  end)
end

function checks.held()
  return scan("ZSCAN", held, function(member)
    local worker, fence = split(member)
    if over("held", member, fence and lease_at(fence) == worker) then
      redis.call("ZREM", held, member)
    end
  end)
end
