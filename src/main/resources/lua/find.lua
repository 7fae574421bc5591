#!lua flags=no-writes
-- find: what a bucket knows of one key.
--
-- KEYS     stock, deduction_history, rollback_history, book, spills
-- ARGV     key
-- RETURNS  { loaded (0 or 1), qty of the live entry or 0, finished (0 or 1), bucket that took the key or -1 }; tombstone and
--          pointer are told of a bucket that is not loaded too, since they outlive a load; an entry is not
-- KEPT     everything: it only reads.

expect(#KEYS == 5, '5 keys')
expect(#ARGV == 1, 'a key')
local key = deduct_key(ARGV[1])
local bucket = read_bucket(KEYS[1], KEYS[4])
local held = bucket and redis.call('HGET', KEYS[2], key)
local finished = redis.call('ZSCORE', KEYS[3], key)
local pointer = redis.call('HGET', KEYS[5], key)
local taker = -1
if pointer then
  taker = whole(string.match(pointer, '^(%d%d?%d?%d?):%d+$'), 'a spill pointer')
end
return { bucket and 1 or 0, held and whole(held, 'the entry of a deduct key') or 0, finished and 1 or 0, taker }
