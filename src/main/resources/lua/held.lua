#!lua flags=no-writes
-- held: the entries of some keys.
--
-- KEYS     deduction_history
-- ARGV     key, ...   1 to 256 keys
-- RETURNS  { entry as Redis has it, '' if there is none; ... }
-- KEPT     everything: it only reads.

expect(#KEYS == 1, '1 key')
expect(#ARGV >= 1 and #ARGV <= 256, '1 to 256 keys')
local held = redis.call('HMGET', KEYS[1], unpack(ARGV))
for i = 1, #ARGV do
  held[i] = held[i] or ''
end
return held
