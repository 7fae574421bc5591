#!lua flags=no-writes
-- inspect: stock, book, the history's length and the Redis clock at one instant.
--
-- KEYS     stock, deduction_history, book
-- ARGV     none
-- RETURNS  { 1, stock, allotment, deducted, count, entries (HLEN), epoch, closed (0 or 1), ms of the Redis clock };
--          all 0 but the clock if the bucket is not loaded
-- KEPT     everything: it only reads.

expect(#KEYS == 3, '3 keys')
expect(#ARGV == 0, 'no argument')
local bucket = read_bucket(KEYS[1], KEYS[3])
if not bucket then
  return { 0, 0, 0, 0, 0, 0, 0, 0, tonumber(now()) }
end
return {
  1, bucket.stock, bucket.allotment, bucket.deducted, bucket.count, redis.call('HLEN', KEYS[2]),
  bucket.epoch, bucket.closed and 1 or 0, tonumber(now()),
}
