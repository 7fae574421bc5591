package io.penstock.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@QuarkusTest
class LeasesTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    @Inject
    Transactions transactions;

    @Inject
    LedgerTables tables;

    /** The instances that did the job, in order. */
    final List<String> done = new ArrayList<>();

    final String job = UUID.randomUUID().toString().substring(0, 32);

    private void runOn(String instance) {
        LedgerTest.await(new Leases(transactions, instance, LONG)
                .run(job, () -> Uni.createFrom().voidItem().invoke(() -> done.add(instance))));
    }

    private void leaseEnds() {
        tables.change("UPDATE lease SET ends_at = CURRENT_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE job = ?", job);
    }

    @Test
    void keepsAJobWithWhoeverHasIt() {
        // When
        runOn("a");
        runOn("b");
        runOn("a");

        // Then
        assertEquals(List.of("a", "a"), done);
    }

    @Test
    void movesTheJobOnceTheLeaseHasEnded() {
        // Given
        runOn("a");

        // When
        leaseEnds();
        runOn("b");
        runOn("a");

        // Then
        assertEquals(List.of("a", "b"), done);
    }

    @Test
    void renewsALeaseThatHasEndedIfNobodyTookIt() {
        // Given
        runOn("a");
        leaseEnds();

        // When
        runOn("a");
        runOn("b");

        // Then
        assertEquals(List.of("a", "a"), done);
    }

    @Test
    void givesANewJobToOneOfThoseThatAskAtOnce() {
        // When
        List<Uni<Void>> asking = new ArrayList<>();
        for (String instance : List.of("a", "b", "c", "d")) {
            asking.add(new Leases(transactions, instance, LONG)
                    .run(job, () -> Uni.createFrom().voidItem().invoke(() -> add(instance))));
        }
        LedgerTest.together(asking);

        // Then
        assertEquals(1, done.size());
    }

    @Test
    void survivesWorkThatFails() {
        // When
        LedgerTest.await(new Leases(transactions, "a", LONG)
                .run(job, () -> Uni.createFrom().failure(new IllegalStateException("on purpose"))));
        runOn("a");

        // Then
        assertEquals(List.of("a"), done);
    }

    private synchronized void add(String instance) {
        done.add(instance);
    }
}
