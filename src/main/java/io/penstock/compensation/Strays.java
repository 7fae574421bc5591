package io.penstock.compensation;

import io.penstock.gate.Gate;
import io.penstock.gate.RestoreAnswer;
import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.Debt;
import io.penstock.ledger.Flow;
import io.penstock.ledger.FlowLedger;
import io.penstock.rollback.StillOwed;
import io.penstock.sku.Layouts;
import io.penstock.sku.WarmUp;
import io.penstock.stock.BucketId;
import io.penstock.stock.Credit;
import io.penstock.stock.FlowStatus;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;

/** 脏数据: restores an entry in its own bucket, if its flow still says otherwise. */
@ApplicationScoped
class Strays {

    private final Layouts layouts;
    private final FlowLedger flows;
    private final CompensationLedger debts;
    private final Gate gate;
    private final WarmUp warmUp;

    Strays(Layouts layouts, FlowLedger flows, CompensationLedger debts, Gate gate, WarmUp warmUp) {
        this.layouts = layouts;
        this.flows = flows;
        this.debts = debts;
        this.gate = gate;
        this.warmUp = warmUp;
    }

    /** Fails as the gate and the ledger fail: then it is still owed. */
    Uni<Void> give(Debt stray) {
        return layouts.of(stray.skuId())
                .map(layout -> layout.bucket(stray.bucketNo()))
                .chain(bucket ->
                        flows.find(stray.skuId(), stray.deductKey()).chain(flow -> restoreLoaded(bucket, stray, flow)))
                .chain(() -> debts.given(stray));
    }

    private Uni<RestoreAnswer> restoreLoaded(BucketId bucket, Debt stray, Optional<Flow> flow) {
        return restore(bucket, stray, flow)
                .chain(answer -> answer == RestoreAnswer.NOT_LOADED
                        ? warmUp.load(bucket).chain(() -> Uni.createFrom().failure(new StillOwed(bucket)))
                        : Uni.createFrom().item(answer));
    }

    private Uni<RestoreAnswer> restore(BucketId bucket, Debt stray, Optional<Flow> flow) {
        boolean sold =
                flow.filter(found -> found.status() == FlowStatus.DEDUCTED).isPresent();
        if (sold && flow.get().bucketNo() != bucket.bucketNo()) {
            return gate.restoreStray(bucket, stray.deductKey(), flow.get().bucketNo());
        }
        if (sold || flow.isEmpty() || goesBackWithItsCredit(bucket, flow.get())) {
            // Confirmed, or not contradicted, or not ours to give: no stray.
            return Uni.createFrom().item(RestoreAnswer.RESTORED_BEFORE);
        }
        return gate.restore(bucket, List.of(stray.deductKey())).map(answers -> answers.get(0));
    }

    /** To its own bucket, of a rejected flow after a calibration; of a cancelled one, which has no bucket, to any. */
    private static boolean goesBackWithItsCredit(BucketId bucket, Flow flow) {
        return flow.credit() == Credit.OWED && (flow.bucketNo() == null || flow.bucketNo() == bucket.bucketNo());
    }
}
