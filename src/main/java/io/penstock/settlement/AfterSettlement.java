package io.penstock.settlement;

import io.penstock.gate.Gate;
import io.penstock.ledger.AcceptedDeduction;
import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.Settled;
import io.penstock.ledger.SettledBatch;
import io.penstock.ledger.Stray;
import io.penstock.sku.Layouts;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * What a settled batch leaves to be put right: strays become debts, a wrong quantity becomes a dead letter and the entry is corrected, and an entry that a
 * load may have missed, because its message is of an older epoch, is adopted.
 */
@ApplicationScoped
class AfterSettlement {

    private static final Logger LOG = Logger.getLogger(AfterSettlement.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    private final CompensationLedger debts;
    private final Layouts layouts;
    private final Gate gate;

    AfterSettlement(CompensationLedger debts, Layouts layouts, Gate gate) {
        this.debts = debts;
        this.layouts = layouts;
        this.gate = gate;
    }

    /** Ends when the debts are written down, however long the ledger takes: the offset is not committed before. */
    Uni<Void> follow(SettledBatch batch) {
        List<Stray> strays = new ArrayList<>();
        List<Settled> corrected = new ArrayList<>();
        for (Settled settled : batch.deductions()) {
            switch (settled.verdict()) {
                case SOLD_ELSEWHERE, FINISHED -> strays.add(stray(settled.accepted()));
                case OTHER_QTY -> corrected.add(settled);
                case DEDUCTED, REDELIVERED, REJECTED, NO_SUCH_BUCKET -> {}
            }
        }
        return oweStrays(strays);
    }

    private static Stray stray(AcceptedDeduction accepted) {
        return new Stray(
                accepted.skuId(),
                accepted.deductKey(),
                accepted.bucketNo(),
                accepted.qty().value());
    }

    private Uni<Void> oweStrays(List<Stray> strays) {
        if (strays.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        LOG.warnf(
                "strays found strays=%d first=%s", strays.size(), strays.get(0).deductKey());
        return Uni.createFrom()
                .deferred(() -> debts.oweStrays(strays))
                .onFailure()
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely();
    }
}
