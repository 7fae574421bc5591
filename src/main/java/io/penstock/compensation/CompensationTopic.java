package io.penstock.compensation;

import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.Debt;
import io.penstock.ledger.Owed;
import io.penstock.platform.Envelope;
import io.penstock.platform.ProblemException;
import io.penstock.platform.ProblemType;
import io.penstock.platform.Unreadable;
import io.penstock.rollback.CompensationMessage;
import io.penstock.settlement.DeadLetters;
import io.penstock.sku.Layout;
import io.penstock.sku.Layouts;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * 补偿 by {@code stock.compensation}: writes down what could not be decided or given while the ledger was away, and nothing more, so that no message waits behind
 * another one's delay. What cannot be read, or names an unknown SKU, is a dead letter; while the ledger is away the same poll is tried again, for ever.
 */
@ApplicationScoped
class CompensationTopic {

    private static final Logger LOG = Logger.getLogger(CompensationTopic.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    private final CompensationLedger debts;
    private final Layouts layouts;
    private final DeadLetters deadLetters;

    CompensationTopic(CompensationLedger debts, Layouts layouts, DeadLetters deadLetters) {
        this.debts = debts;
        this.layouts = layouts;
        this.deadLetters = deadLetters;
    }

    /** One transaction a poll; its offsets are committed afterwards. Never fails: a failure would end the channel for good. */
    @Incoming("compensation")
    Uni<Void> consume(ConsumerRecords<byte[], byte[]> records) {
        return Multi.createFrom()
                .iterable(records)
                .onItem()
                .transformToUniAndConcatenate(this::owed)
                .collect()
                .asList()
                .chain(owed -> untilDone(Uni.createFrom().deferred(() -> debts.owe(owed))));
    }

    /** Null for what is a dead letter. */
    private Uni<Owed> owed(ConsumerRecord<byte[], byte[]> record) {
        Owed owed;
        try {
            Envelope.requireKey(record.key());
            owed = CompensationMessage.read(record.value()).owed();
        } catch (Unreadable e) {
            return bury(record, e);
        }
        return untilDone(Uni.createFrom()
                .deferred(() -> layouts.of(owed.skuId()))
                .invoke(layout -> requireBucket(layout, owed))
                .replaceWith(owed)
                .onFailure(ProblemException.class)
                .recoverWithUni(e -> bury(record, e)));
    }

    /** A credit's bucket and a rollback's are hints. */
    private static void requireBucket(Layout layout, Owed owed) {
        if (owed.kind() == Debt.Kind.STRAY && !layout.has(owed.bucketNo())) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST, "SKU " + owed.skuId() + " has no bucket " + owed.bucketNo() + ".");
        }
    }

    private Uni<Owed> bury(ConsumerRecord<byte[], byte[]> record, Throwable reason) {
        return deadLetters.bury(record, reason.getMessage()).replaceWith(() -> null);
    }

    private static <T> Uni<T> untilDone(Uni<T> step) {
        return step.onFailure()
                .invoke(e -> LOG.warnf("owed and not written down yet, tried again reason=%s", e.getMessage()))
                .onFailure()
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely();
    }
}
