#!lua
-- finish: puts a load in place. The only script that creates a stock key.
--
-- KEYS     stock, deduction_history, book, load, load_history
-- ARGV     epoch, allotment, deducted, count, closed (0 or 1); transfer id, units, ...   up to 256 pairs: the transfers
--          that the allotment includes, the units below 0 for a withdrawal
-- RETURNS  answer
--    1  in place; a leftover history or book is replaced; tombstones and spill pointers are kept
--    0  nothing is changed: loaded already, the claim is not this epoch's, or the staged entries are not `count` of them
--       with `deducted` units
-- KEPT     stock + deducted = allotment, deducted is the sum and count the number of the history.

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

expect(#KEYS == 5, '5 keys')
expect(#ARGV >= 5 and #ARGV <= 517 and #ARGV % 2 == 1, '5 arguments, and up to 256 pairs of transfer id and units')
local epoch, allotment = epoch_of(ARGV[1]), whole(ARGV[2], 'the allotment')
local deducted, count = whole(ARGV[3], 'deducted'), whole(ARGV[4], 'count')
expect(deducted >= 0 and count >= 0 and allotment >= deducted, 'an allotment that covers what is deducted')
expect(ARGV[5] == '0' or ARGV[5] == '1', 'closed to be 0 or 1')
local ms = now()
local book = {
  'allotment', digits(allotment), 'deducted', digits(deducted), 'count', digits(count),
  'epoch', digits(epoch), 'closed', ARGV[5],
}
for i = 6, #ARGV, 2 do
  book[#book + 1] = transfer_id(ARGV[i])
  book[#book + 1] = digits(whole(ARGV[i + 1], 'the units of a transfer')) .. ':' .. ms
end

local claim = redis.call('HMGET', KEYS[4], 'epoch', 'staged')
local entries = redis.call('HLEN', KEYS[5])
if read_bucket(KEYS[1], KEYS[3]) or not claim[1] or whole(claim[1], 'the claimed epoch') ~= epoch
  or entries ~= count or whole(claim[2], 'the staged sum') ~= deducted then
  return 0
end

redis.call('UNLINK', KEYS[2], KEYS[3])
if entries > 0 then
  redis.call('RENAME', KEYS[5], KEYS[2])
end
redis.call('HSET', KEYS[3], unpack(book))
redis.call('SET', KEYS[1], digits(allotment - deducted))
redis.call('UNLINK', KEYS[4])
return 1
