#!lua flags=no-writes
-- inspect: stock, book, the history's length and the Redis clock at one instant.
--
-- KEYS     stock, deduction_history, book
-- ARGV     none
-- RETURNS  { 1, stock, allotment, deducted, count, entries (HLEN), epoch, closed (0 or 1), ms of the Redis clock };
--          all 0 but the clock if the bucket is not loaded
-- KEPT     everything: it only reads.

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

-- Milliseconds since the epoch by the Redis clock, as text.
local function now()
  local time = redis.call('TIME')
  return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end

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
