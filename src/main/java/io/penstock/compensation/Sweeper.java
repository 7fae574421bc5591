package io.penstock.compensation;

import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.Debt;
import io.penstock.ledger.Flow;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.Leases;
import io.penstock.ledger.RollbackOrder;
import io.penstock.platform.Schedules;
import io.penstock.rollback.Credits;
import io.penstock.rollback.Rollbacks;
import io.penstock.stock.Credit;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jboss.logging.Logger;

/** Gives what is owed, once it is due. */
@ApplicationScoped
public class Sweeper {

    private static final Logger LOG = Logger.getLogger(Sweeper.class);
    private static final int MOST_DOUBLINGS = 16;

    /** Who a rollback of the sweeper's is by, in the journal. */
    private static final String BY = "compensation";

    private final CompensationLedger debts;
    private final FlowLedger flows;
    private final Credits credits;
    private final Strays strays;
    private final Leases leases;
    private final Rollbacks rollbacks;
    private final CompensationConfig config;

    Sweeper(
            CompensationLedger debts,
            FlowLedger flows,
            Credits credits,
            Strays strays,
            Leases leases,
            Rollbacks rollbacks,
            CompensationConfig config) {
        this.debts = debts;
        this.flows = flows;
        this.credits = credits;
        this.strays = strays;
        this.leases = leases;
        this.rollbacks = rollbacks;
        this.config = config;
    }

    @Scheduled(
            every = "1s",
            delayed = "1s",
            concurrentExecution = Scheduled.ConcurrentExecution.SKIP,
            skipExecutionIf = Schedules.Off.class)
    Uni<Void> sweep() {
        return leases.run(
                "sweeper",
                () -> debts.due(config.untouched(), config.sweep())
                        .onItem()
                        .transformToMulti(due -> Multi.createFrom().iterable(due))
                        .onItem()
                        .transformToUni(this::attempt)
                        .merge(config.atOnce())
                        .collect()
                        .last());
    }

    /**
     * Tries now to give what is owed for one key, in the background.
     *
     * @return how many debts there are; 0: nothing is owed
     */
    Uni<Integer> retry(SkuId skuId, DeductKey deductKey) {
        return debts.of(skuId, deductKey).map(owed -> {
            Multi.createFrom()
                    .iterable(owed)
                    .onItem()
                    .transformToUniAndConcatenate(this::attempt)
                    .subscribe()
                    .with(
                            given -> {},
                            e -> LOG.warnf("retry failed sku=%s key=%s reason=%s", skuId, deductKey, e.getMessage()));
            return owed.size();
        });
    }

    private Uni<Void> attempt(Debt debt) {
        return give(debt).onFailure().recoverWithUni(e -> {
            int attempts = debt.attempts() + 1;
            boolean alert = raisesAnAlert(attempts);
            LOG.logf(
                    alert ? Logger.Level.ERROR : Logger.Level.WARN,
                    "%s kind=%s sku=%s key=%s attempts=%d reason=%s",
                    alert ? "debt still not given" : "debt not given",
                    debt.kind(),
                    debt.skuId(),
                    debt.deductKey(),
                    attempts,
                    e.getMessage());
            return debts.failed(debt, e.getMessage(), delay(debt.attempts()));
        });
    }

    /** At the threshold, and each time the attempts have doubled: told often enough, and not each half a minute. */
    private boolean raisesAnAlert(int attempts) {
        int doublings = attempts / config.alertAfter();
        return attempts % config.alertAfter() == 0 && Integer.bitCount(doublings) == 1;
    }

    private Uni<Void> give(Debt debt) {
        return switch (debt.kind()) {
            case STRAY -> strays.give(debt);
            case ROLLBACK -> rollBack(debt);
            case CREDIT ->
                flows.find(debt.skuId(), debt.deductKey())
                        .chain(flow -> flow.map(this::giveCredit)
                                .orElseThrow(() -> new IllegalStateException("a credit without its flow")));
        };
    }

    /** Once the ledger has it the flow's own CREDIT is what is owed, whether it could be given or not. */
    private Uni<Void> rollBack(Debt debt) {
        return rollbacks
                .decide(new RollbackOrder(debt.skuId(), debt.deductKey(), BY, debt.cause()))
                .chain(() -> debts.given(debt));
    }

    private Uni<Void> giveCredit(Flow flow) {
        return flow.credit() == Credit.OWED
                ? credits.give(flow).replaceWithVoid()
                : Uni.createFrom().voidItem();
    }

    /** Doubles up to the longest; up to a half of it is left to chance, so that debts of one outage do not come back together. */
    private Duration delay(int attempts) {
        long doubled = config.firstDelay().toMillis() << Math.min(attempts, MOST_DOUBLINGS);
        long longest = Math.min(doubled, config.longestDelay().toMillis());
        return Duration.ofMillis(longest - ThreadLocalRandom.current().nextLong(longest / 2 + 1));
    }
}
