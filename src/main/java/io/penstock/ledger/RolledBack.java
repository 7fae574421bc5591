package io.penstock.ledger;

/**
 * What a rollback did in the ledger.
 *
 * @param flow as it is after the transaction; its credit is OWED where Redis has still to be told
 */
public record RolledBack(RollbackOrder order, Verdict verdict, Flow flow) {

    public enum Verdict {
        /** Was DEDUCTED, is ROLLED_BACK. */
        ROLLED_BACK,
        /** No flow: CANCELLED now. */
        CANCELLED,
        /** Finished before, whichever way: nothing was written. */
        FINISHED_BEFORE
    }
}
