#!lua
-- spill: notes at a key's home that another bucket took it.
--
-- KEYS     spills
-- ARGV     key, bucket that took it
-- RETURNS  answer
--    1  noted; an earlier pointer is replaced. The bucket need not be loaded: pointers outlive a load
-- KEPT     no number changes.

-- Ends the script, before its first write, if the call is not what the header says.
local function expect(condition, what)
  if not condition then
    error({ err = 'ERR expected ' .. what })
  end
end

-- A deduct key as the HTTP contract has it.
local function deduct_key(text)
  expect(#text <= 64 and string.find(text, '^%w[%w_.:-]*$'), 'a deduct key')
  return text
end

-- The number of a bucket.
local function bucket_no(text)
  expect(#text <= 4 and string.find(text, '^%d+$'), 'a bucket number')
  return text
end

-- Milliseconds since the epoch by the Redis clock, as text.
local function now()
  local time = redis.call('TIME')
  return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end

expect(#KEYS == 1, '1 key')
expect(#ARGV == 2, 'a key and a bucket number')
local key, taker = deduct_key(ARGV[1]), bucket_no(ARGV[2])
redis.call('HLEN', KEYS[1]) -- refuses another type

redis.call('HSET', KEYS[1], key, taker .. ':' .. now())
return 1
