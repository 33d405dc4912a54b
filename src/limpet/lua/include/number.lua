-- Needs int.

-- number(stem, before, count): ids with the numbers that follow `before`. Writing a number out is slow, so for many of
-- them all but the last two digits are written once per hundred.
local function number(stem, before, count)
  local ids = {}
  if count < 16 then
    for i = 1, count do
      ids[i] = stem .. int(before + i)
    end
    return ids
  end
  local last_two = {
    "00", "01", "02", "03", "04", "05", "06", "07", "08", "09",
    "10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
    "20", "21", "22", "23", "24", "25", "26", "27", "28", "29",
    "30", "31", "32", "33", "34", "35", "36", "37", "38", "39",
    "40", "41", "42", "43", "44", "45", "46", "47", "48", "49",
    "50", "51", "52", "53", "54", "55", "56", "57", "58", "59",
    "60", "61", "62", "63", "64", "65", "66", "67", "68", "69",
    "70", "71", "72", "73", "74", "75", "76", "77", "78", "79",
    "80", "81", "82", "83", "84", "85", "86", "87", "88", "89",
    "90", "91", "92", "93", "94", "95", "96", "97", "98", "99",
  }
  local hundred, head = -1, ""
  for i = 1, count do
    local low = (before + i) % 100
    if low == 0 or hundred < 0 then
      hundred = (before + i - low) / 100
      head = stem .. int(hundred)
    end
    ids[i] = hundred > 0 and head .. last_two[low + 1] or stem .. low
  end
  return ids
end
