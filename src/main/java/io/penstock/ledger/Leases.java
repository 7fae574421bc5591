package io.penstock.ledger;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Background jobs, each on one instance at a time: the one that holds the job's lease, by the ledger's clock. When it dies, another one takes over once the
 * lease has ended. One that was paused and wakes up late may still be at work beside its successor, so every job must be idempotent.
 */
@ApplicationScoped
public class Leases {

    private static final Logger LOG = Logger.getLogger(Leases.class);

    /** The lease is this instance's already, or has ended. Zero rows: it is another one's, or nobody has had it yet. */
    private static final String TAKE = """
            UPDATE lease
               SET holder = ?, ends_at = CURRENT_TIMESTAMP(3) + INTERVAL ? MICROSECOND
             WHERE job = ? AND (holder = ? OR ends_at < CURRENT_TIMESTAMP(3))
            """;

    /** Counts 1 for the first holder ever. */
    private static final String TAKE_FIRST = """
            INSERT INTO lease (job, holder, ends_at)
            VALUES (?, ?, CURRENT_TIMESTAMP(3) + INTERVAL ? MICROSECOND)
                ON DUPLICATE KEY UPDATE job = lease.job
            """;

    private final Transactions transactions;
    private final String holder;
    private final Duration term;

    @Inject
    Leases(Transactions transactions, LeaseConfig config) {
        this(transactions, UUID.randomUUID().toString(), config.term());
    }

    Leases(Transactions transactions, String holder, Duration term) {
        this.transactions = transactions;
        this.holder = holder;
        this.term = term;
    }

    /**
     * Does the work if the job is this instance's, now or for another term. Never fails: what fails is logged, and done again with the next call.
     *
     * @param job 1–32 of {@code a-z -}
     */
    public Uni<Void> run(String job, Supplier<Uni<Void>> work) {
        return take(job)
                .chain(mine -> mine ? work.get() : Uni.createFrom().voidItem())
                .onFailure()
                .invoke(e -> LOG.warnf("job failed, done again soon job=%s reason=%s", job, e.getMessage()))
                .onFailure()
                .recoverWithNull();
    }

    private Uni<Boolean> take(String job) {
        long micros = term.toNanos() / 1_000;
        return transactions.run(transaction -> transaction
                .count(TAKE, holder, micros, job, holder)
                .chain(taken ->
                        taken == 1 ? Uni.createFrom().item(1) : transaction.count(TAKE_FIRST, job, holder, micros))
                .map(taken -> Ending.keep(taken == 1)));
    }
}
