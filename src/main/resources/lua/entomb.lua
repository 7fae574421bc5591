#!lua
-- 空回滚 entomb: forbids a key that was cancelled before it was deducted, and gives back what is there.
--
-- KEYS     stock, deduction_history, rollback_history, book
-- ARGV     key
-- RETURNS  { answer, units given back now }
--    1  the tombstone is new, or units came back
--    0  the tombstone stood before, and there was nothing to give back
--   -2  not loaded
-- KEPT     stock + deducted = allotment. deducted and count follow the entry removed.

-- Ends the script, before its first write, if the call is not what the header says.
local function expect(condition, what)
  if not condition then
    error({ err = 'ERR expected ' .. what })
  end
end

-- A whole number of at most 15 digits, so that sums stay exact, in the form INCRBY takes (no leading zeros). Anything else
-- ends the script, before its first write.
local function whole(text, name)
  local plain = text and #text <= 16 and (text == '0' or string.find(text, '^%-?[1-9]%d*$'))
  local number = plain and tonumber(text)
  if not number or math.abs(number) > 999999999999999 then
    error({ err = 'ERR ' .. name .. ' is not a whole number of at most 15 digits' })
  end
  return number
end

-- Stock and book of a bucket; nil if one of them is missing: such a bucket is not loaded, whatever else is left of it.
local function read_bucket(stock_key, book_key)
  local stock = redis.call('GET', stock_key)
  local book = redis.call('HMGET', book_key, 'allotment', 'deducted', 'count', 'epoch', 'closed')
  if not stock or not book[4] then
    return nil
  end
  return {
    stock = whole(stock, 'stock'),
    allotment = whole(book[1], 'allotment'),
    deducted = whole(book[2], 'deducted'),
    count = whole(book[3], 'count'),
    epoch = whole(book[4], 'epoch'),
    closed = book[5] == '1',
  }
end

-- A deduct key as the HTTP contract has it.
local function deduct_key(text)
  expect(#text <= 64 and string.find(text, '^%w[%w_.:-]*$'), 'a deduct key')
  return text
end

-- Milliseconds since the epoch by the Redis clock, as text.
local function now()
  local time = redis.call('TIME')
  return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end

-- A number as Redis shall keep it: tostring would turn 1e14 into exponent form.
local function digits(number)
  return string.format('%d', number)
end

expect(#KEYS == 4, '4 keys')
expect(#ARGV == 1, 'a key')
local key = deduct_key(ARGV[1])

local bucket = read_bucket(KEYS[1], KEYS[4])
if not bucket then
  return { -2, 0 }
end
local held = redis.call('HGET', KEYS[2], key)
local finished = redis.call('ZSCORE', KEYS[3], key)
if finished and not held then
  return { 0, 0 }
end
local units = held and whole(held, 'the entry of a deduct key') or 0

if held then
  redis.call('HDEL', KEYS[2], key)
  redis.call('INCRBY', KEYS[1], digits(units))
  redis.call('HSET', KEYS[4], 'deducted', digits(bucket.deducted - units), 'count', digits(bucket.count - 1))
end
redis.call('ZADD', KEYS[3], now(), key)
return { 1, units }
