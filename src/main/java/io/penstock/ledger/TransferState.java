package io.penstock.ledger;

/** How far a recorded move of units has come. */
public enum TransferState {
    /** Nothing has moved in the ledger; the gate may have lost the units already. */
    STARTED,
    /** The ledger has moved it; the gate may not have all of it. */
    MOVED,
    /** Withdrawn from the gate, not moved by the ledger: to be deposited again as {@code <id>/back}. */
    BACK,
    DONE
}
