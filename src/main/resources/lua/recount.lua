#!lua
-- recount: lets book and stock follow from the history and the ledger's allotment, if nothing moved since it was looked at.
--
-- KEYS     stock, deduction_history, book
-- ARGV     as seen by inspect: epoch, stock, allotment, deducted, count, entries (HLEN); then the ledger's allotment
-- RETURNS  { answer, units more (or, below 0, fewer) on sale }
--    1  corrected; 0 units if all was right
--    0  something moved since, or the bucket is not loaded: nothing is written
-- KEPT     afterwards stock + deducted = allotment, deducted is the sum and count the number of the history, whatever was
--          before. The stock may be below 0.

expect(#KEYS == 3, '3 keys')
expect(#ARGV == 7, '6 numbers seen, and the allotment')
local epoch, stock, allotment = epoch_of(ARGV[1]), whole(ARGV[2], 'stock'), whole(ARGV[3], 'allotment')
local deducted, count, entries = whole(ARGV[4], 'deducted'), whole(ARGV[5], 'count'), whole(ARGV[6], 'entries')
local ledger_allotment = whole(ARGV[7], "the ledger's allotment")
expect(ledger_allotment >= 0, 'an allotment of at least 0')

local bucket = read_bucket(KEYS[1], KEYS[3])
local length = redis.call('HLEN', KEYS[2])
if not bucket or bucket.epoch ~= epoch or bucket.stock ~= stock or bucket.allotment ~= allotment
  or bucket.deducted ~= deducted or bucket.count ~= count or length ~= entries then
  return { 0, 0 }
end
local sum = 0
for _, qty in ipairs(redis.call('HVALS', KEYS[2])) do
  sum = sum + whole(qty, 'an entry of the history')
end
local change = ledger_allotment - sum - stock
whole(digits(sum), 'the sum of the history')
whole(digits(ledger_allotment - sum), 'the new stock')

redis.call('INCRBY', KEYS[1], digits(change))
redis.call('HSET', KEYS[3], 'allotment', digits(ledger_allotment), 'deducted', digits(sum), 'count', digits(length))
return { 1, change }
