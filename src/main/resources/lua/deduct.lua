#!lua
-- 扣减 deduct: many deductions of one bucket, answered as if they ran one after another.
--
-- KEYS     stock, deduction_history, rollback_history, book, spills
-- ARGV     key, qty, ...   1 to 256 pairs
-- RETURNS  { epoch, units left, { answer, ... }, { bucket of each answer 6, in order }, allotment }
--    3  deducted
--    2  deducted, and the bucket is now empty
--    1  insufficient: fewer units are left; also while the stock is below 0, after lost data
--    0  duplicate: deducted before with the same qty
--   -1  not loaded, for every pair; epoch, units and allotment are 0; never read as "no units"
--    4  the key was deducted before with another qty
--    5  the key is finished: it has a tombstone
--    6  another bucket took the key: ask that one
--    7  closed to new keys
-- KEPT     stock + deducted = allotment. deducted and count follow the entries written. The stock does not go below 0.

expect(#KEYS == 5, '5 keys')
expect(#ARGV >= 2 and #ARGV <= 512 and #ARGV % 2 == 0, '1 to 256 pairs of key and qty')
local keys, quantities = {}, {}
for i = 1, #ARGV, 2 do
  keys[#keys + 1] = deduct_key(ARGV[i])
  quantities[#quantities + 1] = quantity(ARGV[i + 1])
end

local answers, spilled_to = {}, {}
local bucket = read_bucket(KEYS[1], KEYS[4])
if not bucket then
  for i = 1, #keys do
    answers[i] = -1
  end
  return { 0, 0, answers, spilled_to, 0 }
end
local held = redis.call('HMGET', KEYS[2], unpack(keys))
local finished = redis.call('ZMSCORE', KEYS[3], unpack(keys))
local pointers = redis.call('HMGET', KEYS[5], unpack(keys))

local left, taken, entries, written = bucket.stock, 0, 0, {}
local taken_now = {} -- what earlier pairs of this call took
for i = 1, #keys do
  local key, qty, text = keys[i], quantities[i], ARGV[2 * i]
  local before = taken_now[key] or held[i]
  if finished[i] then
    answers[i] = 5
  elseif before then
    answers[i] = before == text and 0 or 4
  elseif pointers[i] then
    local taker = string.match(pointers[i], '^(%d%d?%d?%d?):%d+$')
    expect(taker, 'a spill pointer of the form bucket:ms')
    answers[i] = 6
    spilled_to[#spilled_to + 1] = tonumber(taker)
  elseif bucket.closed then
    answers[i] = 7
  elseif left < qty then
    answers[i] = 1
  else
    left = left - qty
    taken = taken + qty
    entries = entries + 1
    taken_now[key] = text
    written[#written + 1] = key
    written[#written + 1] = text
    answers[i] = left == 0 and 2 or 3
  end
end

if entries > 0 then
  redis.call('DECRBY', KEYS[1], digits(taken))
  redis.call('HSET', KEYS[2], unpack(written))
  redis.call('HSET', KEYS[4], 'deducted', digits(bucket.deducted + taken), 'count', digits(bucket.count + entries))
end
return { bucket.epoch, left, answers, spilled_to, bucket.allotment }
