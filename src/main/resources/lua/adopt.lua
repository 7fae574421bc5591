#!lua
-- adopt: makes the entry of a sold flow what the ledger says.
--
-- KEYS     stock, deduction_history, rollback_history, book, load
-- ARGV     key, qty of the flow
-- RETURNS  answer
--    1  written: lost with its units, so they are taken, below 0 if need be; or only the entry was lost (HLEN < count), so
--       the units are not taken again; or it had another qty, so stock and deducted change by the difference
--    0  it says so already, or the key is finished
--   -2  not loaded; a load that is under way may have read the ledger before this flow: its claim is gone, and it begins again
-- KEPT     stock + deducted = allotment. deducted and count follow the entries written and corrected; where only an entry
--          was lost, they counted it already, and recount decides whether it was this one.

expect(#KEYS == 5, '5 keys')
expect(#ARGV == 2, 'a key and a qty')
local key, qty = deduct_key(ARGV[1]), quantity(ARGV[2])

local bucket = read_bucket(KEYS[1], KEYS[4])
redis.call('HLEN', KEYS[5]) -- refuses another type
if not bucket then
  redis.call('UNLINK', KEYS[5])
  return -2
end
local held = redis.call('HGET', KEYS[2], key)
local finished = redis.call('ZSCORE', KEYS[3], key)
local entry_lost = redis.call('HLEN', KEYS[2]) < bucket.count
if finished or held == ARGV[2] then
  return 0
end

local units, entries = qty, 1
if held then
  units, entries = qty - whole(held, 'the entry of a deduct key'), 0
elseif entry_lost then
  units, entries = 0, 0
end

redis.call('HSET', KEYS[2], key, ARGV[2])
if units ~= 0 or entries ~= 0 then
  redis.call('DECRBY', KEYS[1], digits(units))
  redis.call('HSET', KEYS[4], 'deducted', digits(bucket.deducted + units), 'count', digits(bucket.count + entries))
end
return 1
