#!lua
-- open: lets a closed bucket sell again.
--
-- KEYS     stock, book
-- ARGV     none
-- RETURNS  answer
--    1  it is open, now or before
--    0  not loaded: the load will say whether it is closed
-- KEPT     no number changes.

expect(#KEYS == 2, '2 keys')
expect(#ARGV == 0, 'no argument')
if not read_bucket(KEYS[1], KEYS[2]) then
  return 0
end

redis.call('HSET', KEYS[2], 'closed', '0')
return 1
