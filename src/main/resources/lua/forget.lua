#!lua
-- forget: trims what a bucket has remembered for longer than some time, by the Redis clock.
--
-- KEYS     rollback_history, spills, book
-- ARGV     what: tombstone, spill or transfer; age in ms; deduct key or transfer id, ...   1 to 256
-- RETURNS  how many were forgotten; a younger one stays
-- KEPT     no number changes.

expect(#KEYS == 3, '3 keys')
expect(#ARGV >= 3 and #ARGV <= 258, 'what, an age, and 1 to 256 names')
local before = now() - whole(ARGV[2], 'the age')
local place = remembered(ARGV[1], KEYS)
local old = {}
for i = 3, #ARGV do
  local value = redis.call(place.get, place.key, ARGV[i])
  local at = value and place.at(ARGV[i], value)
  if at and at <= before then
    old[#old + 1] = ARGV[i]
  end
end

if #old > 0 then
  redis.call(place.drop, place.key, unpack(old))
end
return #old
