package io.penstock.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** The sales that are walked: each is small, and about one thing. */
enum Sale {
    RETRIES(55_000, is -> is.units(1).requests(2, 1).rollbacks(1, 1)),
    COMPETITION(70_000, is -> is.units(1, 1).requests(1, 1, 1).rollbacks(1, 0, 0)),
    TWO_BUCKETS(62_000, is -> is.units(1, 1).requests(1, 1).rollbacks(1, 1)),
    SPILLED(62_000, is -> is.units(1, 1).requests(2, 0, 1).rollbacks(0, 0, 1).skipping()),
    OUTCOMES(3_400, is -> is.units(1).requests(1, 1).rollbacks(1, 0).telling()),
    TRIMMED(5_300, is -> is.units(1).requests(2, 1).rollbacks(1, 0).trims(1)),
    FAIL_OVER(34_000, is -> is.units(1).requests(1, 1).rollbacks(1, 0).fault(Fault.FAIL_OVER, 1)),
    FAIL_OVER_LATE(
            1_100,
            is -> is.units(1).requests(1).rollbacks(1).fault(Fault.FAIL_OVER, 1).replications(1)),
    REJECTIONS(7_300, is -> is.units(1).requests(1, 1, 1).rollbacks(0, 0, 0).fault(Fault.FAIL_OVER, 1)),
    EVICTED(3_400, is -> is.units(2).requests(1, 1).rollbacks(1, 0).fault(Fault.LOSE_ENTRY, 1)),
    WIPED(
            40_000,
            is -> is.units(1)
                    .requests(1, 1)
                    .rollbacks(1, 0)
                    .fault(Fault.WIPE, 1)
                    .background(1)),
    STOCK_LOST(
            40_000,
            is -> is.units(1)
                    .requests(1, 1)
                    .rollbacks(1, 0)
                    .fault(Fault.LOSE_STOCK, 1)
                    .background(1)),
    WIPED_TWICE(
            21_000,
            is -> is.units(1)
                    .requests(1, 1)
                    .rollbacks(0, 0)
                    .fault(Fault.WIPE, 2)
                    .background(2)),
    TWO_LOADERS(
            18_000,
            is -> is.units(1, 0)
                    .requests(1)
                    .rollbacks(0)
                    .merging()
                    .fault(Fault.WIPE, 1)
                    .background(2)),
    CALIBRATION(
            10_000,
            is -> is.units(1).requests(1, 1).rollbacks(1, 0).calibrating().background(1)),
    CALIBRATION_WHILE_TAKING(
            7_300,
            is -> is.units(1).requests(1).rollbacks(1).taking().calibrating().background(1)),
    CALIBRATION_WHILE_MERGING(
            66_000,
            is -> is.units(1, 0)
                    .requests(1)
                    .rollbacks(1)
                    .merging()
                    .calibrating()
                    .background(1)),
    MERGE(5_400, is -> is.units(1, 1).requests(1).rollbacks(1).merging()),
    MERGE_WIPED(
            8_300,
            is -> is.units(1, 0)
                    .requests(1)
                    .rollbacks(0)
                    .merging()
                    .fault(Fault.WIPE, 2)
                    .background(1)),
    MERGE_FAILED_OVER(
            58_000, is -> is.units(1, 0).requests(1).rollbacks(1).merging().fault(Fault.FAIL_OVER, 1)),
    GIVING(6_100, is -> is.units(0).requests(1, 1).rollbacks(1, 0).giving(0)),
    GIVING_WIPED(
            14_000,
            is -> is.units(0)
                    .requests(1)
                    .rollbacks(1)
                    .giving(0)
                    .fault(Fault.WIPE, 1)
                    .background(1)),
    TAKING(12_000, is -> is.units(1, 1).requests(1).rollbacks(1).taking()),
    TAKING_WIPED(
            15_000,
            is -> is.units(1)
                    .requests(1)
                    .rollbacks(1)
                    .taking()
                    .fault(Fault.WIPE, 1)
                    .background(1)),
    TAKING_FAILED_OVER(
            18_000,
            is -> is.units(1)
                    .requests(1)
                    .rollbacks(1)
                    .taking()
                    .fault(Fault.FAIL_OVER, 1)
                    .replications(1)),
    TAKING_WITH_TWO_LOADERS(
            4_300,
            is -> is.units(1)
                    .requests(1)
                    .rollbacks(0)
                    .taking()
                    .fault(Fault.WIPE, 1)
                    .background(2)),
    PAUSED(
            10_000,
            is -> is.units(1)
                    .requests(1)
                    .rollbacks(1)
                    .toggles(1)
                    .fault(Fault.WIPE, 1)
                    .background(1)),
    RESUMED(
            18_000,
            is -> is.units(1)
                    .requests(1)
                    .rollbacks(1)
                    .closed()
                    .toggles(2)
                    .fault(Fault.LOSE_STOCK, 1)
                    .background(1)),
    RETIRED(29_000, is -> is.units(1, 1).requests(2, 1).rollbacks(1, 0).toggles(1)),
    FORGED(
            110_000,
            is -> is.units(1)
                    .requests(1, 0)
                    .rollbacks(1, 0)
                    .fault(Fault.FORGE, 1)
                    .background(3)),
    ORDERED(42_000, is -> is.units(1).requests(2, 1).rollbacks(1, 0).ordered().rereads(2));

    /** What Redis does that it should not. */
    enum Fault {
        NONE,
        FAIL_OVER,
        WIPE,
        LOSE_STOCK,
        LOSE_ENTRY,
        FORGE
    }

    private final int leastStates;
    private final Rules rules;

    /** @param leastStates what it must come to: a model that cannot go on keeps every promise */
    Sale(int leastStates, UnaryOperator<Rules> rules) {
        this.leastStates = leastStates;
        this.rules = rules.apply(new Rules());
    }

    private static final class Rules {
        private int[] units = {};
        private int[] requests = {};
        private int[] rollbacks = {};
        private Fault fault = Fault.NONE;
        private int faults;
        private int trims;
        private int toggles;
        private int rereads;
        private int replications;
        private int background;
        private boolean closed;
        private boolean giving;
        private final List<Part> parts = new ArrayList<>();
        private final Set<Feature> features = EnumSet.noneOf(Feature.class);

        Rules units(int... units) {
            this.units = units;
            return this;
        }

        Rules requests(int... requests) {
            this.requests = requests;
            return this;
        }

        Rules rollbacks(int... rollbacks) {
            this.rollbacks = rollbacks;
            return this;
        }

        Rules fault(Fault fault, int times) {
            this.fault = fault;
            this.faults = times;
            return this;
        }

        Rules trims(int trims) {
            this.trims = trims;
            return this;
        }

        Rules toggles(int toggles) {
            this.toggles = toggles;
            return this;
        }

        Rules rereads(int rereads) {
            this.rereads = rereads;
            return this;
        }

        /** How often the replica catches up; at a failover it is what Redis becomes. */
        Rules replications(int replications) {
            this.replications = replications;
            return this;
        }

        /** Loads, calibrations and scans that begin while the sale goes on. */
        Rules background(int background) {
            this.background = background;
            return this;
        }

        Rules closed() {
            closed = true;
            return this;
        }

        Rules merging() {
            parts.add(Part.between(0, 1));
            return this;
        }

        Rules giving(int bucket) {
            giving = true;
            parts.add(Part.between(-1, bucket));
            return this;
        }

        /** One unit of every bucket. */
        Rules taking() {
            for (int bucket = 0; bucket < units.length; bucket++) {
                parts.add(Part.between(bucket, -1));
            }
            return this;
        }

        Rules ordered() {
            features.add(Feature.ORDERED);
            return this;
        }

        Rules skipping() {
            features.add(Feature.SKIPPING);
            return this;
        }

        Rules telling() {
            features.add(Feature.TELLING);
            return this;
        }

        Rules calibrating() {
            features.add(Feature.CALIBRATING);
            return this;
        }
    }

    private enum Feature {
        ORDERED,
        SKIPPING,
        TELLING,
        CALIBRATING
    }

    State initial() {
        List<Bucket> gate = Arrays.stream(rules.units)
                .mapToObj(units -> Bucket.loaded(units, rules.closed))
                .toList();
        List<LedgerBucket> rows = Arrays.stream(rules.units)
                .mapToObj(units -> new LedgerBucket(units, units, 1, rules.closed))
                .toList();
        List<Flow> flows = Collections.nCopies(keys(), Flow.NONE);
        List<Log> logs = rules.features.contains(Feature.ORDERED) ? Collections.nCopies(keys(), Log.EMPTY) : List.of();
        return new State(
                gate,
                failsOver() ? gate : List.of(),
                new Ledger(flows, rows, List.copyOf(rules.parts), false, 0, 0),
                0,
                logs,
                List.of(),
                rules.closed ? Clients.NEW.paused(0, true) : Clients.NEW,
                new Budget(
                        twoBitsEach(rules.requests),
                        twoBitsEach(rules.rollbacks),
                        rules.faults,
                        rules.trims,
                        rules.toggles,
                        rules.rereads,
                        rules.replications,
                        rules.background));
    }

    private static int twoBitsEach(int[] numbers) {
        int packed = 0;
        for (int i = 0; i < numbers.length; i++) {
            packed |= numbers[i] << 2 * i;
        }
        return packed;
    }

    int leastStates() {
        return leastStates;
    }

    int buckets() {
        return rules.units.length;
    }

    /** FORGED has one key more, which no client uses. */
    int keys() {
        return rules.requests.length;
    }

    int home(int key) {
        return key % buckets();
    }

    int units() {
        return Arrays.stream(rules.units).sum();
    }

    Fault fault() {
        return rules.fault;
    }

    boolean failsOver() {
        return rules.fault == Fault.FAIL_OVER;
    }

    /** Redis may lose what it had. */
    boolean lossy() {
        return rules.fault != Fault.NONE;
    }

    /** Redis may lose its data without noticing; only reconciliation brings them back. */
    boolean needsReconciliation() {
        return rules.fault == Fault.FAIL_OVER || rules.fault == Fault.LOSE_ENTRY;
    }

    boolean toggles() {
        return rules.toggles > 0;
    }

    boolean trims() {
        return rules.trims > 0;
    }

    boolean giving() {
        return rules.giving;
    }

    boolean taking() {
        return !rules.giving && !rules.parts.isEmpty() && rules.parts.get(0).to() < 0;
    }

    boolean skipping() {
        return rules.features.contains(Feature.SKIPPING);
    }

    boolean telling() {
        return rules.features.contains(Feature.TELLING);
    }

    boolean calibrating() {
        return rules.features.contains(Feature.CALIBRATING);
    }
}
