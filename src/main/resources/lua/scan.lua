#!lua flags=no-writes
-- scan: a page of the history, in no order. An entry that is there from the first page to the last comes at least once.
--
-- KEYS     deduction_history
-- ARGV     cursor of the page, 0 for the first
-- RETURNS  { cursor of the next page, 0 after the last; then key, entry, key, entry, ... as Redis has them }
-- KEPT     everything: it only reads.

expect(#KEYS == 1, '1 key')
expect(#ARGV == 1, 'a cursor')
local cursor = cursor_of(ARGV[1])
local page = redis.call('HSCAN', KEYS[1], cursor, 'COUNT', 1000)
local answer = { page[1] }
for i = 1, #page[2] do
  answer[i + 1] = page[2][i]
end
return answer
