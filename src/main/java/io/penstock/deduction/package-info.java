/**
 * 扣减: route, deduct, accept.
 *
 * <p>Entry point: {@link io.penstock.deduction.Deductions}. A gated deduction asks its home bucket, walks on if that has too little, and is answered only after Kafka has acknowledged
 * what the gate accepted.
 *
 * <p>Invariant: accepted means kept. No answer of code 3, 2 or 0 leaves before Kafka has the deduction.
 */
package io.penstock.deduction;
