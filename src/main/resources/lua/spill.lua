#!lua
-- spill: notes at a key's home that another bucket took it.
--
-- KEYS     spills
-- ARGV     key, bucket that took it
-- RETURNS  answer
--    1  noted; an earlier pointer is replaced. The bucket need not be loaded: pointers outlive a load
-- KEPT     no number changes.

expect(#KEYS == 1, '1 key')
expect(#ARGV == 2, 'a key and a bucket number')
local key, taker = deduct_key(ARGV[1]), bucket_no(ARGV[2])
redis.call('HLEN', KEYS[1]) -- refuses another type

redis.call('HSET', KEYS[1], key, taker .. ':' .. now())
return 1
