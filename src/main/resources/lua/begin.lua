#!lua
-- 预热 begin: claims a bucket that is not loaded, for one epoch.
--
-- KEYS     stock, book, load, load_history
-- ARGV     epoch
-- RETURNS  answer
--    1  claimed: any claim of a lower epoch, and all that was staged, is gone; the same epoch begins anew
--    0  the bucket is loaded, or claimed for a higher epoch
-- KEPT     a loaded bucket is not touched.

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

-- A number as Redis shall keep it: tostring would turn 1e14 into exponent form.
local function digits(number)
  return string.format('%d', number)
end

expect(#KEYS == 4, '4 keys')
expect(#ARGV == 1, 'an epoch')
local epoch = epoch_of(ARGV[1])

local claimed = redis.call('HGET', KEYS[3], 'epoch')
if read_bucket(KEYS[1], KEYS[2]) or (claimed and whole(claimed, 'the claimed epoch') > epoch) then
  return 0
end

redis.call('UNLINK', KEYS[4])
redis.call('HSET', KEYS[3], 'epoch', digits(epoch), 'staged', '0')
return 1
