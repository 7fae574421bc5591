/**
 * 补偿: what is owed is given, sooner or later. The ledger remembers every debt; the sweeper tries each again, with growing, jittered delays, for ever.
 *
 * <p>Entry point: {@link io.penstock.compensation.Sweeper}.
 *
 * <p>Invariant: a debt goes only when Redis has what it was owed.
 */
package io.penstock.compensation;
