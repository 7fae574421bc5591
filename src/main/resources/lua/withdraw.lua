#!lua
-- withdraw: takes units out of a bucket for a transfer, once, in one epoch.
--
-- KEYS     stock, book
-- ARGV     transfer id, units at most, epoch
-- RETURNS  the units taken, now or before: 0 or more, never more than there were; or an answer
--   -3  not loaded, or another epoch
-- KEPT     stock + deducted = allotment: both lose the same units. The stock does not go below 0. The id is recorded with
--          its units below 0, also when there were none.

expect(#KEYS == 2, '2 keys')
expect(#ARGV == 3, 'a transfer id, units and an epoch')
local id, at_most, epoch = transfer_id(ARGV[1]), whole(ARGV[2], 'units'), epoch_of(ARGV[3])
expect(at_most >= 0, 'at least 0 units')

local bucket = read_bucket(KEYS[1], KEYS[2])
if not bucket or bucket.epoch ~= epoch then
  return -3
end
local record = redis.call('HGET', KEYS[2], id)
if record then
  local moved = whole(string.match(record, '^(%-?%d+):%d+$'), 'the record of a transfer')
  expect(moved <= 0, 'the id of a withdrawal')
  return -moved
end

local units = math.min(at_most, math.max(bucket.stock, 0))
redis.call('DECRBY', KEYS[1], digits(units))
redis.call('HSET', KEYS[2], 'allotment', digits(bucket.allotment - units), id, digits(-units) .. ':' .. now())
return units
