package io.penstock.gate;

import java.util.Map;

/**
 * Entries of a history.
 *
 * @param next the cursor of the next page
 * @param entries deduct key to qty, as Redis has them: whoever writes to Redis by hand may have written anything
 */
public record HistoryPage(String next, Map<String, String> entries) {

    /** The cursor of the first page, and of the one after the last. */
    public static final String FIRST = "0";

    public boolean isLast() {
        return next.equals(FIRST);
    }
}
