#!lua
-- stage: adds a page of sold entries to a load.
--
-- KEYS     load, load_history
-- ARGV     epoch; key, qty, ...   1 to 256 pairs
-- RETURNS  answer
--    1  staged; a key staged before has the qty of this page
--    0  the claim is not, or no longer, this epoch's
-- KEPT     staged, in the claim, is the sum of the staged entries.

-- Ends the script, before its first write, if the call is not what the header says.
local function expect(condition, what)
  if not condition then
    error({ err = 'ERR expected ' .. what })
  end
end

-- A whole number of at most 15 digits, so that sums stay exact, in the form INCRBY takes (no leading zeros). Anything else
-- ends the script, before its first write.
local function whole(text, name)
  local plain = text and #text <= 16 and (text == '0' or string.find(text, '^%-?[1-9]%d*$'))
  local number = plain and tonumber(text)
  if not number or math.abs(number) > 999999999999999 then
    error({ err = 'ERR ' .. name .. ' is not a whole number of at most 15 digits' })
  end
  return number
end

-- A deduct key as the HTTP contract has it.
local function deduct_key(text)
  expect(#text <= 64 and string.find(text, '^%w[%w_.:-]*$'), 'a deduct key')
  return text
end

-- A quantity without sign, leading zero or exponent, so that equal quantities are equal texts.
local function quantity(text)
  local number = #text <= 7 and string.find(text, '^[1-9]%d*$') and tonumber(text)
  expect(number and number <= 1000000, 'a quantity between 1 and 1000000')
  return number
end

-- An epoch: 1 or more.
local function epoch_of(text)
  local epoch = whole(text, 'the epoch')
  expect(epoch >= 1, 'an epoch of at least 1')
  return epoch
end

-- A number as Redis shall keep it: tostring would turn 1e14 into exponent form.
local function digits(number)
  return string.format('%d', number)
end

expect(#KEYS == 2, '2 keys')
expect(#ARGV >= 3 and #ARGV <= 513 and #ARGV % 2 == 1, 'an epoch, and 1 to 256 pairs of key and qty')
local epoch = epoch_of(ARGV[1])
local keys, page = {}, {}
for i = 2, #ARGV, 2 do
  local key = deduct_key(ARGV[i])
  expect(not page[key], 'each key once a page')
  page[key] = quantity(ARGV[i + 1])
  keys[#keys + 1] = key
end

local claim = redis.call('HMGET', KEYS[1], 'epoch', 'staged')
if not claim[1] or whole(claim[1], 'the claimed epoch') ~= epoch then
  return 0
end
local sum = whole(claim[2], 'the staged sum')
local before = redis.call('HMGET', KEYS[2], unpack(keys))
for i, key in ipairs(keys) do
  sum = sum + page[key] - (before[i] and whole(before[i], 'a staged entry') or 0)
end

redis.call('HSET', KEYS[2], unpack(ARGV, 2))
redis.call('HSET', KEYS[1], 'staged', digits(sum))
return 1
