package io.penstock.ledger;

import java.time.Instant;

/**
 * One line of a deduction's journal.
 *
 * @param change a flow's new status, or {@code CREDIT_DONE}
 * @param by {@code settlement}, {@code http}, {@code topic}, or a background job's name
 * @param why may be null
 */
public record JournalEntry(Instant at, String change, String by, String why) {}
