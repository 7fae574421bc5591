/**
 * The stock protocol as an explicit-state model: every interleaving of small sales. {@code docs/protocol.md} is the text, this is the same in
 * code that can be walked; {@link io.penstock.model.Checker} walks it.
 *
 * <p>{@link io.penstock.model.State} is what the servers hold, what processes have in hand and what clients were told. {@link
 * io.penstock.model.Action} is everything that can happen; {@link io.penstock.model.Protocol} says which actions can happen now and what each
 * makes of the state, by {@link io.penstock.model.Scripts} and {@link io.penstock.model.Ledger}. {@link io.penstock.model.Invariants} must hold
 * in every state and at rest. {@link io.penstock.model.Sale} lists the sales that are walked, {@link io.penstock.model.Safeguard} what can be
 * taken away from the protocol; whatever is taken away, one of the sales must break.
 *
 * <p>{@link io.penstock.model.RealRun} does the same actions on the real parts and servers, beside the model: {@link
 * io.penstock.model.RealSale} says which script or transaction an action is, {@link io.penstock.model.Projection} what the servers hold in the
 * words of the model, {@link io.penstock.model.RealInvariants} what must hold there.
 *
 * <p>One SKU, every deduction takes one unit, at most three deduct keys and two buckets.
 */
package io.penstock.model;
