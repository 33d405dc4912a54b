-- delivered(facts, at): count the delivery that ends now, and when the first one began.
local function delivered(facts, at)
  facts.deliveries = (facts.deliveries or 0) + 1
  facts.started = facts.started or at
end
