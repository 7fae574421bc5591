#!lua
-- finish: puts a load in place. The only script that creates a stock key.
--
-- KEYS     stock, deduction_history, book, load, load_history
-- ARGV     epoch, allotment, deducted, count, closed (0 or 1); transfer id, units, ...   up to 256 pairs: the transfers
--          that the allotment includes, the units below 0 for a withdrawal
-- RETURNS  answer
--    1  in place; a leftover history or book is replaced; tombstones and spill pointers are kept
--    0  nothing is changed: loaded already, the claim is not this epoch's, or the staged entries are not `count` of them
--       with `deducted` units
-- KEPT     stock + deducted = allotment, deducted is the sum and count the number of the history.

expect(#KEYS == 5, '5 keys')
expect(#ARGV >= 5 and #ARGV <= 517 and #ARGV % 2 == 1, '5 arguments, and up to 256 pairs of transfer id and units')
local epoch, allotment = epoch_of(ARGV[1]), whole(ARGV[2], 'the allotment')
local deducted, count = whole(ARGV[3], 'deducted'), whole(ARGV[4], 'count')
expect(deducted >= 0 and count >= 0 and allotment >= deducted, 'an allotment that covers what is deducted')
expect(ARGV[5] == '0' or ARGV[5] == '1', 'closed to be 0 or 1')
local ms = now()
local book = {
  'allotment', digits(allotment), 'deducted', digits(deducted), 'count', digits(count),
  'epoch', digits(epoch), 'closed', ARGV[5],
}
for i = 6, #ARGV, 2 do
  book[#book + 1] = transfer_id(ARGV[i])
  book[#book + 1] = digits(whole(ARGV[i + 1], 'the units of a transfer')) .. ':' .. ms
end

local claim = redis.call('HMGET', KEYS[4], 'epoch', 'staged')
local entries = redis.call('HLEN', KEYS[5])
if read_bucket(KEYS[1], KEYS[3]) or not claim[1] or whole(claim[1], 'the claimed epoch') ~= epoch
  or entries ~= count or whole(claim[2], 'the staged sum') ~= deducted then
  return 0
end

redis.call('UNLINK', KEYS[2], KEYS[3])
if entries > 0 then
  redis.call('RENAME', KEYS[5], KEYS[2])
end
redis.call('HSET', KEYS[3], unpack(book))
redis.call('SET', KEYS[1], digits(allotment - deducted))
redis.call('UNLINK', KEYS[4])
return 1
