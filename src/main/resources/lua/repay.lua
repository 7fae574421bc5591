#!lua
-- repay: for a rolled-back flow that the bucket did not know. Its units are owed only if entries were lost.
--
-- KEYS     stock, deduction_history, rollback_history, book
-- ARGV     key, qty of the flow
-- RETURNS  answer
--    1  given: the entry was there after all (its own qty), or an entry is missing (the flow's qty); a tombstone is left
--    0  nothing was owed: finished before, or no entry is missing that could have been this one; a tombstone is left
--   -2  not loaded
-- KEPT     stock + deducted = allotment, and deducted stays at 0 or more. If entries are missing, deducted need not be the
--          sum of the history until recount.

expect(#KEYS == 4, '4 keys')
expect(#ARGV == 2, 'a key and a qty')
local key, qty = deduct_key(ARGV[1]), quantity(ARGV[2])

local bucket = read_bucket(KEYS[1], KEYS[4])
if not bucket then
  return -2
end
local held = redis.call('HGET', KEYS[2], key)
local finished = redis.call('ZSCORE', KEYS[3], key)
local missing = bucket.count - redis.call('HLEN', KEYS[2])

if finished and not held then
  return 0
end

local units
if held then
  units = whole(held, 'the entry of a deduct key')
elseif missing > 0 and qty <= bucket.deducted then
  -- The book holds at most `deducted` units for lost entries: a larger qty was not among them.
  units = qty
end

if held then
  redis.call('HDEL', KEYS[2], key)
end
if units then
  redis.call('INCRBY', KEYS[1], digits(units))
  redis.call('HSET', KEYS[4], 'deducted', digits(bucket.deducted - units), 'count', digits(bucket.count - 1))
end
redis.call('ZADD', KEYS[3], now(), key)
return units and 1 or 0
