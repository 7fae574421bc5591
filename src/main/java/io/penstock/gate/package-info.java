/**
 * The gate (准入闸门): the Redis side of the stock, which admits deductions at peak speed. The only package that speaks Redis.
 *
 * <p>Entry point: {@link io.penstock.gate.Gate}. Each operation is one Lua script of {@code src/main/resources/lua}, run on
 * the keys of one bucket, hence on one slot. Each event loop has a {@code Lane} of its own to Redis, on which deductions of one
 * bucket travel together.
 *
 * <p>Invariant, kept by the scripts alone: {@code stock + deducted = allotment} in every bucket, where {@code deducted} is
 * the sum of the bucket's deduction history.
 */
package io.penstock.gate;
