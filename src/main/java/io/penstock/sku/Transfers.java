package io.penstock.sku;

import io.penstock.gate.Gate;
import io.penstock.gate.Moved;
import io.penstock.ledger.TransferLedger;
import io.penstock.ledger.TransferLedger.Transfer;
import io.penstock.platform.CrashPoint;
import io.penstock.stock.BucketId;
import io.penstock.stock.SkuId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.UUID;

/**
 * 库存调拨: moves units from one bucket of a SKU to another. Recorded first; then out of the gate, over in the ledger, into the gate. A SKU has one transfer at a time, on whichever instance: who finds
 * another one open finishes it first. Fails as the gate and the ledger fail; then the transfer stays open, and whoever comes next goes on with it.
 */
@ApplicationScoped
public class Transfers {

    /** A bucket that is loaded again in the middle takes its step again; more than this at once is not worth waiting for. */
    private static final int STEPS = 12;

    private final TransferLedger ledger;
    private final Layouts layouts;
    private final Gate gate;
    private final WarmUp warmUp;

    Transfers(TransferLedger ledger, Layouts layouts, Gate gate, WarmUp warmUp) {
        this.ledger = ledger;
        this.layouts = layouts;
        this.gate = gate;
        this.warmUp = warmUp;
    }

    /**
     * Ends when as many units as there were, up to {@code units}, have moved.
     *
     * @param why {@code merge}, {@code gather} or {@code retire}: the first part of the transfer's id, which the journal shows
     */
    public Uni<Void> move(BucketId from, BucketId to, long units, String why) {
        String id = why + "/" + UUID.randomUUID();
        return ledger.start(from.skuId(), id, from.bucketNo(), to.bucketNo(), units)
                .chain(transfer -> finish(transfer, STEPS)
                        .chain(() ->
                                transfer.id().equals(id) ? Uni.createFrom().voidItem() : move(from, to, units, why)));
    }

    /** Ends when no transfer of the SKU is open that was open at the call. */
    public Uni<Void> finishOpen(SkuId skuId) {
        return ledger.open(skuId).chain(open -> open == null ? Uni.createFrom().voidItem() : finish(open, STEPS));
    }

    private Uni<Void> finish(Transfer transfer, int steps) {
        if (steps == 0) {
            return Uni.createFrom().failure(new StillMoving());
        }
        return layouts.of(transfer.skuId()).chain(layout -> switch (transfer.state()) {
            case STARTED -> withdraw(layout.bucket(transfer.from()), transfer).chain(now -> finish(now, steps - 1));
            case MOVED -> deposit(layout.bucket(transfer.to()), transfer.id(), transfer, steps);
            case BACK -> deposit(layout.bucket(transfer.from()), transfer.id() + "/back", transfer, steps);
            case DONE -> Uni.createFrom().voidItem();
        });
    }

    /** In another epoch nothing is withdrawn: a load brings bucket and ledger to one epoch, and the ledger starts the transfer again. */
    private Uni<Transfer> withdraw(BucketId from, Transfer transfer) {
        return gate.withdraw(from, transfer.id(), transfer.units(), transfer.epoch())
                .invoke(CrashPoint.AFTER_WITHDRAWAL::pass)
                .chain(moved -> moved instanceof Moved.Units taken
                        ? ledger.move(transfer, taken.units())
                        : warmUp.load(from).chain(() -> ledger.move(transfer, 0)));
    }

    private Uni<Void> deposit(BucketId to, String id, Transfer transfer, int steps) {
        CrashPoint.BEFORE_DEPOSIT.pass();
        return gate.deposit(to, id, transfer.units(), transfer.epoch())
                .invoke(CrashPoint.AFTER_DEPOSIT::pass)
                .chain(moved -> moved instanceof Moved.Units
                        ? ledger.done(transfer)
                        : warmUp.load(to).chain(() -> ledger.find(transfer)).chain(now -> finish(now, steps - 1)));
    }
}
