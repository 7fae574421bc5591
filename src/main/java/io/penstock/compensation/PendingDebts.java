package io.penstock.compensation;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.CompensationLedger.Pending;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/** How much is owed, for those who watch: what the ledger said last, a few seconds ago at most while it answers. */
@Startup // so that its metrics are there, at 0, from the start
@ApplicationScoped
class PendingDebts {

    private static final Logger LOG = Logger.getLogger(PendingDebts.class);

    private final CompensationLedger ledger;
    private volatile Pending last = new Pending(0, 0);

    PendingDebts(CompensationLedger ledger, MeterRegistry metrics) {
        this.ledger = ledger;
        Gauge.builder("penstock.compensation.pending", this, debts -> debts.last.debts())
                .description("Debts that Redis has not been given yet")
                .register(metrics);
        Gauge.builder("penstock.compensation.attempts.max", this, debts -> debts.last.attempts())
                .description("Attempts that the most often tried debt has taken so far")
                .register(metrics);
    }

    @Scheduled(
            every = "5s",
            delayed = "5s",
            concurrentExecution = Scheduled.ConcurrentExecution.SKIP,
            skipExecutionIf = Scheduled.ApplicationNotRunning.class)
    Uni<Void> look() {
        return ledger.pending()
                .invoke(pending -> last = pending)
                .onFailure()
                .invoke(e -> LOG.warnf("debts not counted reason=%s", e.getMessage()))
                .onFailure()
                .recoverWithNull()
                .replaceWithVoid();
    }
}
