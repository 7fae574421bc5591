#!lua
-- repay: for a rolled-back flow that the bucket did not know. Its units are owed only if entries were lost.
--
-- KEYS     stock, deduction_history, rollback_history, book
-- ARGV     key, qty of the flow
-- RETURNS  answer
--    1  given: the entry was there after all (its own qty), or an entry is missing (the flow's qty); a tombstone is left
--    0  nothing was owed: finished before, or no entry is missing that could have been this one; a tombstone is left
--   -2  not loaded
-- KEPT     stock + deducted = allotment, and deducted stays at 0 or more. If entries are missing, deducted need not be the
--          sum of the history until recount.

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

-- A quantity without sign, leading zero or exponent, so that equal quantities are equal texts.
local function quantity(text)
  local number = #text <= 7 and string.find(text, '^[1-9]%d*$') and tonumber(text)
  expect(number and number <= 1000000, 'a quantity between 1 and 1000000')
  return number
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
expect(#ARGV == 2, 'a key and a qty')
local key, qty = deduct_key(ARGV[1]), quantity(ARGV[2])

local bucket = read_bucket(KEYS[1], KEYS[4])
if not bucket then
  return -2
end
local held = redis.call('HGET', KEYS[2], key)
local finished = redis.call('ZSCORE', KEYS[3], key)
local missing = bucket.count - redis.call('HLEN', KEYS[2])

if finished and not held then
  return 0
end

local units
if held then
  units = whole(held, 'the entry of a deduct key')
elseif missing > 0 and qty <= bucket.deducted then
  -- The book holds at most `deducted` units for lost entries: a larger qty was not among them.
  units = qty
end

if held then
  redis.call('HDEL', KEYS[2], key)
end
if units then
  redis.call('INCRBY', KEYS[1], digits(units))
  redis.call('HSET', KEYS[4], 'deducted', digits(bucket.deducted - units), 'count', digits(bucket.count - 1))
end
redis.call('ZADD', KEYS[3], now(), key)
return units and 1 or 0
