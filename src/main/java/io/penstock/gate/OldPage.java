package io.penstock.gate;

import java.util.List;

/**
 * What a bucket has remembered for long.
 *
 * @param next the cursor of the next page
 * @param names deduct keys, or transfer ids
 */
public record OldPage(String next, List<String> names) {

    public boolean isLast() {
        return next.equals(HistoryPage.FIRST);
    }
}
