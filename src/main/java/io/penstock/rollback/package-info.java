/**
 * 回滚: roll back, and give the units back (回补).
 *
 * <p>Entry points: {@link io.penstock.rollback.Rollbacks}, and {@link io.penstock.rollback.Credits} for whoever finds a debt.
 *
 * <p>Invariant: ledger first, Redis second, always. The other way round oversells when the ledger fails.
 */
package io.penstock.rollback;
