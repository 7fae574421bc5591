#!lua
-- deposit: puts units into a bucket for a transfer, once, in one epoch.
--
-- KEYS     stock, book
-- ARGV     transfer id, units, epoch
-- RETURNS  the units put in, now or before; or an answer
--   -3  not loaded, or another epoch
-- KEPT     stock + deducted = allotment: both gain the same units. The id is recorded with its units.

expect(#KEYS == 2, '2 keys')
expect(#ARGV == 3, 'a transfer id, units and an epoch')
local id, units, epoch = transfer_id(ARGV[1]), whole(ARGV[2], 'units'), epoch_of(ARGV[3])
expect(units >= 0, 'at least 0 units')

local bucket = read_bucket(KEYS[1], KEYS[2])
if not bucket or bucket.epoch ~= epoch then
  return -3
end
local record = redis.call('HGET', KEYS[2], id)
if record then
  local moved = whole(string.match(record, '^(%-?%d+):%d+$'), 'the record of a transfer')
  expect(moved >= 0, 'the id of a deposit')
  return moved
end
whole(digits(bucket.stock + units), 'the new stock')
whole(digits(bucket.allotment + units), 'the new allotment')

redis.call('INCRBY', KEYS[1], digits(units))
redis.call('HSET', KEYS[2], 'allotment', digits(bucket.allotment + units), id, digits(units) .. ':' .. now())
return units
