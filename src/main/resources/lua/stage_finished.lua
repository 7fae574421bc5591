#!lua
-- stage_finished: adds a page of finished keys to the tombstones of a bucket that is being loaded.
--
-- KEYS     load, rollback_history
-- ARGV     epoch; key, ...   1 to 256 keys
-- RETURNS  answer
--    1  every key of the page has a tombstone; one that had keeps its age
--    0  the claim is not, or no longer, this epoch's
-- KEPT     no tombstone is removed or made younger.

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

-- A deduct key as the HTTP contract has it.
local function deduct_key(text)
  expect(#text <= 64 and string.find(text, '^%w[%w_.:-]*$'), 'a deduct key')
  return text
end

-- An epoch: 1 or more.
local function epoch_of(text)
  local epoch = whole(text, 'the epoch')
  expect(epoch >= 1, 'an epoch of at least 1')
  return epoch
end

-- Milliseconds since the epoch by the Redis clock, as text.
local function now()
  local time = redis.call('TIME')
  return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end

expect(#KEYS == 2, '2 keys')
expect(#ARGV >= 2 and #ARGV <= 257, 'an epoch, and 1 to 256 keys')
local epoch = epoch_of(ARGV[1])
local ms, tombstones = now(), {}
for i = 2, #ARGV do
  tombstones[#tombstones + 1] = ms
  tombstones[#tombstones + 1] = deduct_key(ARGV[i])
end

local claimed = redis.call('HGET', KEYS[1], 'epoch')
redis.call('ZCARD', KEYS[2]) -- refuses another type
if not claimed or whole(claimed, 'the claimed epoch') ~= epoch then
  return 0
end

redis.call('ZADD', KEYS[2], 'NX', unpack(tombstones))
return 1
