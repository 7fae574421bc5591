-- What the scripts share: how arguments and keys are read. Set before the text of every script, since a Redis script can
-- call no other.

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

-- The number of a bucket.
local function bucket_no(text)
  expect(#text <= 4 and string.find(text, '^%d+$'), 'a bucket number')
  return text
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

-- The cursor of a scan: as Redis gave it, or 0.
local function cursor_of(text)
  expect(text == '0' or #text <= 20 and string.find(text, '^[1-9]%d*$'), 'a cursor')
  return text
end

-- A number as Redis shall keep it: tostring would turn 1e14 into exponent form.
local function digits(number)
  return string.format('%d', number)
end

-- Milliseconds since the epoch by the Redis clock, as text.
local function now()
  local time = redis.call('TIME')
  return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end

-- Where a bucket remembers what serves retries, and since when: the keys are rollback_history, spills and book.
local function remembered(what, keys)
  local function at_end(_, value)
    return tonumber(string.match(value, ':(%d+)$'))
  end
  local places = {
    tombstone = { key = keys[1], scan = 'ZSCAN', get = 'ZSCORE', drop = 'ZREM', at = function(_, score) return tonumber(score) end },
    spill = { key = keys[2], scan = 'HSCAN', get = 'HGET', drop = 'HDEL', at = at_end },
    transfer = {
      key = keys[3], scan = 'HSCAN', get = 'HGET', drop = 'HDEL',
      at = function(id, value) return string.find(id, '/', 1, true) and at_end(id, value) end,
    },
  }
  expect(places[what], 'tombstone, spill or transfer')
  redis.call('ZCARD', keys[1]) -- all three refuse another type
  redis.call('HLEN', keys[2])
  redis.call('HLEN', keys[3])
  return places[what]
end
