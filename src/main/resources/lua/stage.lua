#!lua
-- stage: adds a page of sold entries to a load.
--
-- KEYS     load, load_history
-- ARGV     epoch; key, qty, ...   1 to 256 pairs
-- RETURNS  answer
--    1  staged; a key staged before has the qty of this page
--    0  the claim is not, or no longer, this epoch's
-- KEPT     staged, in the claim, is the sum of the staged entries.

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
