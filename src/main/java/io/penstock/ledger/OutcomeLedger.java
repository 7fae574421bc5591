package io.penstock.ledger;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;

/** Outcomes owed to the order system: written by the transaction that made them, removed once Kafka has them. */
@ApplicationScoped
public class OutcomeLedger {

    /** Kafka has acknowledged all of them. Repeating it changes nothing. */
    public Uni<Void> sent(long outcomesId) {
        throw new UnsupportedOperationException();
    }

    /** The oldest that have been owed for longer than {@code age} on the ledger's clock. */
    public Uni<List<OwedOutcomes>> owedFor(Duration age, int limit) {
        throw new UnsupportedOperationException();
    }
}
