#!lua
-- 预热 begin: claims a bucket that is not loaded, for one epoch.
--
-- KEYS     stock, book, load, load_history
-- ARGV     epoch
-- RETURNS  answer
--    1  claimed: any claim of a lower epoch, and all that was staged, is gone; the same epoch begins anew
--    0  the bucket is loaded, or claimed for a higher epoch. A loaded one takes on a higher epoch: the ledger has raised it
--       already, and a transfer compares the two
-- KEPT     a loaded bucket keeps all its units and entries.

expect(#KEYS == 4, '4 keys')
expect(#ARGV == 1, 'an epoch')
local epoch = epoch_of(ARGV[1])

local claimed = redis.call('HGET', KEYS[3], 'epoch')
local bucket = read_bucket(KEYS[1], KEYS[2])
if bucket then
  if bucket.epoch < epoch then
    redis.call('HSET', KEYS[2], 'epoch', digits(epoch))
  end
  return 0
end
if claimed and whole(claimed, 'the claimed epoch') > epoch then
  return 0
end

redis.call('UNLINK', KEYS[4])
redis.call('HSET', KEYS[3], 'epoch', digits(epoch), 'staged', '0')
return 1
