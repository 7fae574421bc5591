#!lua flags=no-writes
-- find: what a bucket knows of one key.
--
-- KEYS     stock, deduction_history, rollback_history, book, spills
-- ARGV     key
-- RETURNS  { loaded (0 or 1), qty of the live entry or 0, finished (0 or 1), bucket that took the key or -1 }; tombstone and
--          pointer are told of a bucket that is not loaded too, since they outlive a load; an entry is not
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

-- A deduct key as the HTTP contract has it.
local function deduct_key(text)
  expect(#text <= 64 and string.find(text, '^%w[%w_.:-]*$'), 'a deduct key')
  return text
end

expect(#KEYS == 5, '5 keys')
expect(#ARGV == 1, 'a key')
local key = deduct_key(ARGV[1])
local bucket = read_bucket(KEYS[1], KEYS[4])
local held = bucket and redis.call('HGET', KEYS[2], key)
local finished = redis.call('ZSCORE', KEYS[3], key)
local pointer = redis.call('HGET', KEYS[5], key)
local taker = -1
if pointer then
  taker = whole(string.match(pointer, '^(%d%d?%d?%d?):%d+$'), 'a spill pointer')
end
return { bucket and 1 or 0, held and whole(held, 'the entry of a deduct key') or 0, finished and 1 or 0, taker }
