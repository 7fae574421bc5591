#!lua
-- close: lets a bucket sell to no new key. Known keys are answered, rollbacks taken.
--
-- KEYS     stock, book
-- ARGV     none
-- RETURNS  answer
--    1  it is closed, now or before
--    0  not loaded: the load will say whether it is closed
-- KEPT     no number changes.

expect(#KEYS == 2, '2 keys')
expect(#ARGV == 0, 'no argument')
if not read_bucket(KEYS[1], KEYS[2]) then
  return 0
end

redis.call('HSET', KEYS[2], 'closed', '1')
return 1
