#!lua flags=no-writes
-- old: a page of what a bucket has remembered for longer than some time, by the Redis clock. Pages are as those of scan.
--
-- KEYS     rollback_history, spills, book
-- ARGV     what: tombstone, spill or transfer; age in ms; cursor of the page, 0 for the first
-- RETURNS  { cursor of the next page, 0 after the last; then deduct key or transfer id, ... }
-- KEPT     everything: it only reads.

expect(#KEYS == 3, '3 keys')
expect(#ARGV == 3, 'what, an age and a cursor')
local cursor = cursor_of(ARGV[3])
local before = now() - whole(ARGV[2], 'the age')
local place = remembered(ARGV[1], KEYS)
local page = redis.call(place.scan, place.key, cursor, 'COUNT', 1000)
local answer = { page[1] }
for i = 1, #page[2], 2 do
  local at = place.at(page[2][i], page[2][i + 1])
  if at and at <= before then
    answer[#answer + 1] = page[2][i]
  end
end
return answer
