package io.penstock.ledger;

import io.penstock.stock.DeductCode;

/**
 * What the ledger answered to a deduction of a SKU that needs no gate.
 *
 * @param code as the script would answer: 3, 2, 1, 0, 4, 5 or 7
 * @param flow with 3, 2, 0, 4 and 5, else null
 * @param available units left, known with 1, 2 and 3
 * @param outcomesId as in {@link SettledBatch}
 */
public record LedgerDeduction(DeductCode code, Flow flow, long available, long outcomesId) {}
