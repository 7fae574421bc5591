package io.penstock.ledger;

/**
 * What became of one accepted deduction.
 *
 * @param flow as the ledger has it after the transaction; null with {@code NO_SUCH_BUCKET}
 */
public record Settled(AcceptedDeduction accepted, Verdict verdict, Flow flow) {

    public enum Verdict {
        /** New: sold. */
        DEDUCTED,
        /** New: the ledger had fewer units than the gate gave away. Its credit is OWED. */
        REJECTED,
        /** Settled before, the same bucket and quantity. */
        REDELIVERED,
        /** Sold before from the same bucket with another quantity: the message is wrong, the flow right. */
        OTHER_QTY,
        /** Sold before from another bucket: a stray in this one. */
        SOLD_ELSEWHERE,
        /** Finished before: a stray. */
        FINISHED,
        /** The ledger has no such bucket: nothing was written. */
        NO_SUCH_BUCKET
    }
}
