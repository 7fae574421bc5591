#!lua
-- 回补 restore: gives back what deductions took, once.
--
-- KEYS     stock, deduction_history, rollback_history, book, spills
-- ARGV     bucket where the keys are sold, or '' if they are finished; key, ...   1 to 256 keys
-- RETURNS  { answer, ... }
--    1  restored: entry removed, its own qty added, then a tombstone; for a key sold elsewhere the pointer to that bucket
--    0  restored before, or earlier in this call
--   -1  unknown: neither in the history nor finished here (nor, for a key sold elsewhere, pointed away); nothing is left
--   -2  not loaded, for every key
-- KEPT     stock + deducted = allotment. deducted and count follow the entries removed.

expect(#KEYS == 5, '5 keys')
expect(#ARGV >= 2 and #ARGV <= 257, '1 to 256 deduct keys')
local sold_at = ARGV[1] ~= '' and bucket_no(ARGV[1])
local keys = {}
for i = 2, #ARGV do
  keys[i - 1] = deduct_key(ARGV[i])
end

local answers = {}
local bucket = read_bucket(KEYS[1], KEYS[4])
if not bucket then
  for i = 1, #keys do
    answers[i] = -2
  end
  return answers
end
local held = redis.call('HMGET', KEYS[2], unpack(keys))
local finished = redis.call('ZMSCORE', KEYS[3], unpack(keys))
local pointers = redis.call('HMGET', KEYS[5], unpack(keys))

local units, removed, seen = 0, {}, {}
for i = 1, #keys do
  local key = keys[i]
  if seen[key] then
    answers[i] = seen[key]
  elseif held[i] then
    units = units + whole(held[i], 'the entry of a deduct key')
    removed[#removed + 1] = key
    answers[i] = 1
  elseif finished[i] or (sold_at and pointers[i]) then
    answers[i] = 0
  else
    answers[i] = -1
  end
  seen[key] = math.min(answers[i], 0)
end

if #removed > 0 then
  local ms, left_behind = now(), {}
  for _, key in ipairs(removed) do
    left_behind[#left_behind + 1] = sold_at and key or ms
    left_behind[#left_behind + 1] = sold_at and (sold_at .. ':' .. ms) or key
  end
  redis.call('HDEL', KEYS[2], unpack(removed))
  redis.call('INCRBY', KEYS[1], digits(units))
  redis.call('HSET', KEYS[4], 'deducted', digits(bucket.deducted - units), 'count', digits(bucket.count - #removed))
  if sold_at then
    redis.call('HSET', KEYS[5], unpack(left_behind))
  else
    redis.call('ZADD', KEYS[3], unpack(left_behind))
  end
end
return answers
