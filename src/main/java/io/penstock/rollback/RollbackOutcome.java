package io.penstock.rollback;

import io.penstock.stock.FlowStatus;

/**
 * How a rollback ended. What could not be decided is a failure.
 *
 * @param status the final one with {@code ALREADY_ROLLED_BACK}, else null
 * @param bucketNo where the units went back to; null where there were none, or where they have not gone yet
 * @param qty null as {@code bucketNo}
 */
public record RollbackOutcome(Kind kind, FlowStatus status, Integer bucketNo, Integer qty) {

    public enum Kind {
        /** Ledger and Redis both have it. */
        ROLLED_BACK,
        /** It was final before, ROLLED_BACK or REJECTED; nothing was given again. */
        ALREADY_ROLLED_BACK,
        /** The ledger knew no deduction, then or now. Units went back only where Redis knew one. */
        CANCELLED,
        /** Ledger or Redis could not be reached: it is owed, and will be given. */
        COMPENSATING
    }
}
