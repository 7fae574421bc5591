#!lua
-- 空回滚 entomb: forbids a key that was cancelled before it was deducted, and gives back what is there.
--
-- KEYS     stock, deduction_history, rollback_history, book
-- ARGV     key
-- RETURNS  { answer, units given back now }
--    1  the tombstone is new, or units came back
--    0  the tombstone stood before, and there was nothing to give back
--   -2  not loaded
-- KEPT     stock + deducted = allotment. deducted and count follow the entry removed.

expect(#KEYS == 4, '4 keys')
expect(#ARGV == 1, 'a key')
local key = deduct_key(ARGV[1])

local bucket = read_bucket(KEYS[1], KEYS[4])
if not bucket then
  return { -2, 0 }
end
local held = redis.call('HGET', KEYS[2], key)
local finished = redis.call('ZSCORE', KEYS[3], key)
if finished and not held then
  return { 0, 0 }
end
local units = held and whole(held, 'the entry of a deduct key') or 0

if held then
  redis.call('HDEL', KEYS[2], key)
  redis.call('INCRBY', KEYS[1], digits(units))
  redis.call('HSET', KEYS[4], 'deducted', digits(bucket.deducted - units), 'count', digits(bucket.count - 1))
end
redis.call('ZADD', KEYS[3], now(), key)
return { 1, units }
