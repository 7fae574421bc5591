package io.penstock.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.ledger.AdjustmentLedger.Adjustment;
import io.penstock.ledger.AdjustmentLedger.Part;
import io.penstock.ledger.AdjustmentLedger.State;
import io.penstock.stock.DeductKey;
import io.penstock.stock.SkuId;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Adjustments in any order: several instances work on each, one step at a time, crash between any two steps and begin again, while
 * buckets are wiped and loaded. The gate is a toy with the rules of its scripts. A seed replays its story.
 */
@QuarkusTest
class AdjustmentStoryTest extends LedgerTest {

    private static final int STEPS = 120;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void endsWithTheGateAndTheLedgerEqual(long seed) {
        // Given
        Story story = new Story(new Random(seed), gated(60, 1, 2, 3));

        // When
        for (int i = 0; i < STEPS; i++) {
            story.somethingHappens();
            story.theGateNeverShowsMoreThanTheLedger();
        }
        story.comesToRest();

        // Then
        story.isEqualAtRest();
    }

    private final class Story {

        private final Random random;
        private final SkuId sku;
        private final Map<Integer, ToyBucket> gate = new TreeMap<>();
        private final List<Instance> instances = new ArrayList<>();

        Story(Random random, SkuId sku) {
            this.random = random;
            this.sku = sku;
            List.of(1, 2, 3).forEach(bucketNo -> gate.put(bucketNo, new ToyBucket(bucketNo)));
            long[] deltas = {25, -30, -200, 7, -40};
            for (int i = 0; i < deltas.length; i++) {
                instances.add(new Instance(key("a-" + i), deltas[i]));
                instances.add(new Instance(key("a-" + i), deltas[i]));
            }
        }

        void somethingHappens() {
            ToyBucket bucket = gate.get(1 + random.nextInt(gate.size()));
            switch (random.nextInt(20)) {
                case 0 -> bucket.wipe();
                case 1 -> bucket.beginLoad();
                case 2, 3 -> bucket.continueLoad();
                default -> {
                    Instance instance = instances.get(random.nextInt(instances.size()));
                    if (random.nextInt(12) == 0) {
                        instance.crash();
                    }
                    instance.step();
                }
            }
        }

        void theGateNeverShowsMoreThanTheLedger() {
            gate.forEach((bucketNo, bucket) -> {
                if (bucket.loaded) {
                    assertTrue(
                            bucket.stock <= available(sku, bucketNo),
                            () -> "bucket " + bucketNo + " shows " + bucket.stock);
                }
            });
        }

        void comesToRest() {
            for (int i = 0; i < 400 && instances.stream().anyMatch(instance -> !instance.finished); i++) {
                Instance instance = instances.get(i % instances.size());
                instance.step();
            }
            gate.values().forEach(ToyBucket::load);
        }

        void isEqualAtRest() {
            for (Instance instance : instances) {
                assertTrue(instance.finished, () -> instance.key + " is stuck: " + instance.adjustment);
            }
            gate.forEach((bucketNo, bucket) -> assertEquals(available(sku, bucketNo), bucket.stock));
            assertEquals(0, await(skus.underway(sku)).moving());
        }

        /** The rules of the gate's scripts: withdraw, deposit, begin and finish. */
        private final class ToyBucket {

            private final int bucketNo;
            private final Map<String, Long> moves = new HashMap<>();
            private boolean loaded;
            private long stock;
            private long epoch;
            private long claim;

            ToyBucket(int bucketNo) {
                this.bucketNo = bucketNo;
                load();
            }

            void wipe() {
                loaded = false;
                claim = 0;
            }

            void beginLoad() {
                if (!loaded) {
                    claim = await(skus.raiseEpoch(sku, bucketNo));
                }
            }

            void continueLoad() {
                if (!loaded && claim > 0) {
                    Snapshot.Units units = await(skus.snapshot(sku, bucketNo, Snapshot::units));
                    loaded = true;
                    epoch = claim;
                    stock = units.allotted();
                    moves.clear();
                    moves.putAll(units.transfers());
                }
            }

            void load() {
                beginLoad();
                continueLoad();
            }

            OptionalLong withdraw(String id, long atMost, long inEpoch) {
                if (!loaded || epoch != inEpoch) {
                    return OptionalLong.empty();
                }
                if (!moves.containsKey(id)) {
                    long units = Math.min(stock, atMost);
                    stock -= units;
                    moves.put(id, -units);
                }
                return OptionalLong.of(-moves.get(id));
            }

            boolean deposit(String id, long units, long inEpoch) {
                if (!loaded || epoch != inEpoch) {
                    return false;
                }
                if (!moves.containsKey(id)) {
                    stock += units;
                    moves.put(id, units);
                }
                return true;
            }
        }

        /** One instance at work on one adjustment, as the callers of the ledger are. */
        private final class Instance {

            private final DeductKey key;
            private final long delta;
            private Adjustment adjustment;
            private final Map<String, Part> withdrawn = new TreeMap<>();
            private boolean finished;

            Instance(DeductKey key, long delta) {
                this.key = key;
                this.delta = delta;
            }

            void crash() {
                adjustment = null;
                withdrawn.clear();
                finished = false;
            }

            void step() {
                if (adjustment == null) {
                    adjustment = await(
                            delta > 0
                                    ? adjustments.give(sku, key, delta, null)
                                    : adjustments.beginTaking(sku, key, delta, null));
                } else if (adjustment.state() != State.OPEN) {
                    finished = true;
                } else if (part(TransferState.MOVED) != null) {
                    deposit(part(TransferState.MOVED), "");
                } else if (part(TransferState.BACK) != null) {
                    deposit(part(TransferState.BACK), "/back");
                } else if (notWithdrawn() != null) {
                    withdraw(notWithdrawn());
                } else {
                    startOrTake();
                }
            }

            private void deposit(Part part, String suffix) {
                ToyBucket bucket = gate.get(part.bucketNo());
                if (bucket.deposit(part.transferId() + suffix, part.units(), part.epoch())) {
                    adjustment = await(adjustments.partsDone(sku, key, List.of(part.transferId())));
                } else {
                    bucket.load();
                    adjustment = null;
                }
            }

            private void withdraw(Part part) {
                ToyBucket bucket = gate.get(part.bucketNo());
                OptionalLong units = bucket.withdraw(part.transferId(), part.units(), part.epoch());
                if (units.isEmpty()) {
                    bucket.load();
                }
                // Withdrawn in another epoch, the ledger will say so.
                withdrawn.put(
                        part.transferId(),
                        new Part(part.transferId(), part.bucketNo(), units.orElse(0), part.epoch(), part.state()));
            }

            private void startOrTake() {
                long missing = -delta
                        - withdrawn.values().stream().mapToLong(Part::units).sum();
                List<Integer> unused = new ArrayList<>(gate.keySet());
                adjustment.parts().forEach(part -> unused.remove(Integer.valueOf(part.bucketNo())));
                if (missing > 0 && !unused.isEmpty()) {
                    ToyBucket bucket = gate.get(unused.get(random.nextInt(unused.size())));
                    bucket.load();
                    Part part = await(adjustments.startPart(sku, key, bucket.bucketNo, missing, bucket.epoch));
                    if (part.state() == TransferState.STARTED) {
                        List<Part> parts = new ArrayList<>(adjustment.parts());
                        parts.add(part);
                        adjustment = new Adjustment(sku, key.value(), delta, State.OPEN, true, parts);
                    } else {
                        adjustment = null;
                        withdrawn.clear();
                    }
                    return;
                }
                adjustment = await(adjustments.take(sku, key, List.copyOf(withdrawn.values())));
                // What was started again in another epoch is to be withdrawn again.
                adjustment.parts().forEach(part -> {
                    Part known = withdrawn.get(part.transferId());
                    if (known != null && known.epoch() != part.epoch()) {
                        withdrawn.remove(part.transferId());
                    }
                });
            }

            private Part part(TransferState state) {
                return adjustment.parts().stream()
                        .filter(part -> part.state() == state)
                        .findFirst()
                        .orElse(null);
            }

            private Part notWithdrawn() {
                return adjustment.parts().stream()
                        .filter(part -> part.state() == TransferState.STARTED)
                        .filter(part -> !withdrawn.containsKey(part.transferId()))
                        .findFirst()
                        .orElse(null);
            }
        }
    }
}
