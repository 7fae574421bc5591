package io.penstock.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.ledger.RollbackOrder;
import io.penstock.ledger.RolledBack;
import io.penstock.platform.DependencyUnavailable;
import io.penstock.platform.Envelope;
import io.penstock.platform.ProblemException;
import io.penstock.platform.Topic;
import io.penstock.platform.Unreadable;
import io.penstock.settlement.DeadLetters;
import io.penstock.settlement.DeductMessage;
import io.penstock.settlement.Settlement;
import io.penstock.sku.Layouts;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * {@code stock.ordered}: deductions and rollbacks of ORDERED SKUs, in the order in which they were sent for each key. It settles and rolls back for the settlement group, so a fence waits for both.
 * Whichever SKU a message is of, and however often it comes, it does what it would by its own topic. What cannot be read is a dead letter; while the ledger is away the same messages are tried again, for ever.
 */
@ApplicationScoped
public class OrderedTopic {

    private static final Logger LOG = Logger.getLogger(OrderedTopic.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    /** Credits under way for one poll: enough to keep Redis busy, few enough to leave it to sales. */
    private static final int AT_ONCE = 8;

    private final Settlement settlement;
    private final Rollbacks rollbacks;
    private final DeadLetters deadLetters;
    private final Layouts layouts;
    private final RollbackConfig config;
    private final AtomicInteger underway = new AtomicInteger();

    OrderedTopic(
            Settlement settlement,
            Rollbacks rollbacks,
            DeadLetters deadLetters,
            Layouts layouts,
            RollbackConfig config) {
        this.settlement = settlement;
        this.rollbacks = rollbacks;
        this.deadLetters = deadLetters;
        this.layouts = layouts;
        this.config = config;
    }

    /** Offsets are committed once the ledger has the whole poll. Never fails: a failure would end the channel for good, on one instance after the other. */
    @Incoming("ordered")
    Uni<Void> consume(ConsumerRecords<byte[], byte[]> records) {
        return read(records)
                .chain(stages -> Uni.createFrom()
                        .deferred(() -> write(stages))
                        .onFailure()
                        .invoke(e ->
                                LOG.errorf(e, "messages not in the ledger, tried again messages=%d", records.count()))
                        .onFailure()
                        .retry()
                        .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                        .indefinitely());
    }

    /** Once: what it buries must not be buried again. */
    private Uni<Stages> read(ConsumerRecords<byte[], byte[]> records) {
        Stages stages = new Stages();
        return Multi.createFrom()
                .iterable(records)
                .onItem()
                .transformToUniAndConcatenate(record -> read(record, stages))
                .collect()
                .last()
                .replaceWith(stages);
    }

    private Uni<Void> write(Stages stages) {
        return Multi.createFrom()
                .iterable(stages.inOrder())
                .onItem()
                .transformToUniAndConcatenate(stage ->
                        settlement.settle(Topic.ORDERED, stage.deductions()).chain(() -> rollBack(stage.rollbacks())))
                .collect()
                .last();
    }

    private Uni<Void> read(ConsumerRecord<byte[], byte[]> record, Stages stages) {
        try {
            Envelope.requireKey(record.key());
            JsonNode message = Envelope.read(record.value());
            String type = message.path("type").asText();
            return switch (type) {
                case DeductMessage.TYPE -> {
                    stages.add(DeductMessage.read(message));
                    yield Uni.createFrom().voidItem();
                }
                case RollbackMessage.TYPE -> add(RollbackMessage.read(message, "ordered"), record, stages);
                default -> deadLetters.bury(record, "type is neither DEDUCT nor ROLLBACK");
            };
        } catch (Unreadable e) {
            return deadLetters.bury(record, e.getMessage());
        }
    }

    /** The ledger takes a rollback of any key: whether there is such a SKU must be asked before. */
    private Uni<Void> add(RollbackOrder order, ConsumerRecord<byte[], byte[]> record, Stages stages) {
        return Uni.createFrom()
                .deferred(() -> layouts.of(order.skuId()))
                .onFailure(e -> !(e instanceof ProblemException))
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely()
                .chain(layout -> {
                    if (layout.strategy() != Strategy.REDIS) {
                        return deadLetters.bury(record, "SKU " + order.skuId() + " is not sold by the gate");
                    }
                    stages.add(order);
                    return Uni.createFrom().voidItem();
                })
                .onFailure(ProblemException.class)
                .recoverWithUni(e -> deadLetters.bury(record, e.getMessage()));
    }

    private Uni<Void> rollBack(List<RollbackOrder> orders) {
        if (orders.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return Uni.createFrom()
                .deferred(() -> rollbacks.inLedger(orders, true))
                .onFailure(DependencyUnavailable.class)
                .invoke(e -> LOG.warnf(
                        "rollbacks not decided, tried again rollbacks=%d reason=%s", orders.size(), e.getMessage()))
                .onFailure(DependencyUnavailable.class)
                .retry()
                .withBackOff(FIRST_DELAY, LONGEST_DELAY)
                .indefinitely()
                .invoke(this::creditSoon)
                .replaceWithVoid();
    }

    /** The poll must not wait for it: a credit may have to load a bucket, whose fence waits for this poll's offsets. */
    private void creditSoon(List<RolledBack> rolledBack) {
        if (underway.addAndGet(rolledBack.size()) > config.orderedUnderway()) {
            underway.addAndGet(-rolledBack.size());
            LOG.warnf("credits left to the sweeper, too many are under way credits=%d", rolledBack.size());
            rolledBack.forEach(rollbacks::leaveCredit);
            return;
        }
        Multi.createFrom()
                .iterable(rolledBack)
                .onItem()
                .transformToUni(rollbacks::credit)
                .merge(AT_ONCE)
                .collect()
                .last()
                .onTermination()
                .invoke(() -> underway.addAndGet(-rolledBack.size()))
                .subscribe()
                .with(nothing -> {}, e -> LOG.errorf(e, "credits failed, still owed"));
    }
}
