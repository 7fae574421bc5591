#!lua
-- adopt: makes the entry of a sold flow what the ledger says.
--
-- KEYS     stock, deduction_history, rollback_history, book
-- ARGV     key, qty of the flow
-- RETURNS  answer
--    1  written: lost with its units, so they are taken, below 0 if need be; or only the entry was lost (HLEN < count), so
--       the units are not taken again; or it had another qty, so stock and deducted change by the difference
--    0  it says so already, or the key is finished
--   -2  not loaded
-- KEPT     stock + deducted = allotment. deducted and count follow the entries written and corrected; where only an entry
--          was lost, they counted it already, and recount decides whether it was this one.

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
