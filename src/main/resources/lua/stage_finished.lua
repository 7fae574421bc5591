#!lua
-- stage_finished: adds a page of finished keys to the tombstones of a bucket that is being loaded.
--
-- KEYS     load, rollback_history
-- ARGV     epoch; key, ...   1 to 256 keys
-- RETURNS  answer
--    1  every key of the page has a tombstone; one that had keeps its age
--    0  the claim is not, or no longer, this epoch's
-- KEPT     no tombstone is removed or made younger.

expect(#KEYS == 2, '2 keys')
expect(#ARGV >= 2 and #ARGV <= 257, 'an epoch, and 1 to 256 keys')
local epoch = epoch_of(ARGV[1])
local ms, tombstones = now(), {}
for i = 2, #ARGV do
  tombstones[#tombstones + 1] = ms
  tombstones[#tombstones + 1] = deduct_key(ARGV[i])
end

local claimed = redis.call('HGET', KEYS[1], 'epoch')
redis.call('ZCARD', KEYS[2]) -- refuses another type
if not claimed or whole(claimed, 'the claimed epoch') ~= epoch then
  return 0
end

redis.call('ZADD', KEYS[2], 'NX', unpack(tombstones))
return 1
