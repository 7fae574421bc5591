/**
 * 落库: Kafka to ledger. What the gate accepted becomes sold flows, in batches, and every new flow's outcome is told to the order system.
 *
 * <p>Entry points: {@link io.penstock.settlement.Settlement} (consumes), {@link io.penstock.settlement.Outcomes} (tells),
 * {@link io.penstock.settlement.DeductMessage} (the format).
 *
 * <p>Invariant: a message's offset is committed only after the ledger has all of its deductions, each once.
 */
package io.penstock.settlement;
