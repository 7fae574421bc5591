#!lua
-- remove: takes out entries that no script wrote, without adding units.
--
-- KEYS     stock, deduction_history, book
-- ARGV     as seen by inspect: epoch, deducted, count, entries (HLEN); then key, ...   1 to 256 keys, all that the ledger does not know
-- RETURNS  how many were removed: all of them if the history then fits the book exactly, in number and in sum; else those that
--          no script can have written, since they are no deduct key or no quantity
--    0  none, or something moved since, or the bucket is not loaded
-- KEPT     no number changes.

expect(#KEYS == 3, '3 keys')
expect(#ARGV >= 5 and #ARGV <= 260, '4 numbers seen, and 1 to 256 keys')
local epoch, deducted = epoch_of(ARGV[1]), whole(ARGV[2], 'deducted')
local count, entries = whole(ARGV[3], 'count'), whole(ARGV[4], 'entries')

local bucket = read_bucket(KEYS[1], KEYS[3])
local length = redis.call('HLEN', KEYS[2])
if not bucket or bucket.epoch ~= epoch or bucket.deducted ~= deducted or bucket.count ~= count or length ~= entries then
  return 0
end

-- An entry as a number, or nil if no deduction can have written it.
local function units(key, entry)
  local plain = #key <= 64 and string.find(key, '^%w[%w_.:-]*$') and #entry <= 7 and string.find(entry, '^[1-9]%d*$')
  local number = plain and tonumber(entry)
  return number and number <= 1000000 and number or nil
end

local unknown = {}
for i = 5, #ARGV do
  unknown[ARGV[i]] = true
end
local history = redis.call('HGETALL', KEYS[2])
local all, impossible, rest, sum = {}, {}, 0, 0
for i = 1, #history, 2 do
  local key, number = history[i], units(history[i], history[i + 1])
  if unknown[key] then
    all[#all + 1] = key
    if not number then
      impossible[#impossible + 1] = key
    end
  else
    rest = rest + 1
    sum = number and sum and sum + number
  end
end

local removed = (rest == count and sum == deducted) and all or impossible
if #removed > 0 then
  redis.call('HDEL', KEYS[2], unpack(removed))
end
return #removed
