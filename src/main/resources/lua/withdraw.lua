#!lua
-- withdraw: takes units out of a bucket for a transfer, once, in one epoch.
--
-- KEYS     stock, book
-- ARGV     transfer id, units at most, epoch
-- RETURNS  the units taken, now or before: 0 or more, never more than there were; or an answer
--   -3  not loaded, or another epoch
-- KEPT     stock + deducted = allotment: both lose the same units. The stock does not go below 0. The id is recorded with
--          its units below 0, also when there were none.

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

-- An epoch: 1 or more.
local function epoch_of(text)
  local epoch = whole(text, 'the epoch')
  expect(epoch >= 1, 'an epoch of at least 1')
  return epoch
end

-- A transfer id: its slash keeps it apart from the book's own fields.
local function transfer_id(text)
  expect(#text <= 128 and string.find(text, '/', 1, true), 'a transfer id with a slash, of at most 128 characters')
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

expect(#KEYS == 2, '2 keys')
expect(#ARGV == 3, 'a transfer id, units and an epoch')
local id, at_most, epoch = transfer_id(ARGV[1]), whole(ARGV[2], 'units'), epoch_of(ARGV[3])
expect(at_most >= 0, 'at least 0 units')

local bucket = read_bucket(KEYS[1], KEYS[2])
if not bucket or bucket.epoch ~= epoch then
  return -3
end
local record = redis.call('HGET', KEYS[2], id)
if record then
  local moved = whole(string.match(record, '^(%-?%d+):%d+$'), 'the record of a transfer')
  expect(moved <= 0, 'the id of a withdrawal')
  return -moved
end

local units = math.min(at_most, math.max(bucket.stock, 0))
redis.call('DECRBY', KEYS[1], digits(units))
redis.call('HSET', KEYS[2], 'allotment', digits(bucket.allotment - units), id, digits(-units) .. ':' .. now())
return units
