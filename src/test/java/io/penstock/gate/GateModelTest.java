package io.penstock.gate;

import static io.penstock.gate.RedisProbe.await;
import static io.penstock.gate.RestoreAnswer.RESTORED;
import static io.penstock.gate.RestoreAnswer.RESTORED_BEFORE;
import static io.penstock.gate.RestoreAnswer.UNKNOWN;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random sequences of operations, and of losses, on one bucket: the scripts answer and keep what a few lines of Java do. */
@QuarkusTest
class GateModelTest {

    private static final int STEPS = 600;
    private static final int KEYS = 12;

    @Inject
    Gate gate;

    @Inject
    RedisProbe probe;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void agreesWithTheReferenceOnKnownSequences(long seed) {
        run(seed, false);
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6, 7, 8})
    void agreesWithTheReferenceOnKnownSequencesThatLoseEntries(long seed) {
        run(seed, true);
    }

    @Test
    void agreesWithTheReferenceOnASequenceNobodyHasSeen() {
        long seed = System.nanoTime();
        run(seed, seed % 2 == 0);
    }

    void run(long seed, boolean losing) {
        Random random = new Random(seed);
        BucketId bucket = probe.loaded(20);
        Reference reference = new Reference(20);
        List<String> told = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            DeductKey key = new DeductKey("k" + random.nextInt(KEYS));
            Quantity qty = new Quantity(1 + random.nextInt(5));
            String transfer = random.nextInt(40) + "/t";
            Object expected;
            Object actual;
            int choice = random.nextInt(100);
            if (choice < 40) {
                told.add("deduct " + key + " " + qty);
                expected = reference.deduct(key, qty);
                actual = await(gate.deduct(bucket, key, qty));
            } else if (choice < 48) {
                told.add("restore " + key);
                expected = List.of(reference.restore(key, null), reference.restore(key, null));
                actual = await(gate.restore(bucket, List.of(key, key)));
            } else if (choice < 54) {
                told.add("stray " + key);
                expected = reference.restore(key, 7);
                actual = await(gate.restoreStray(bucket, key, 7));
            } else if (choice < 58) {
                told.add("repay " + key + " " + qty);
                expected = reference.repay(key, qty);
                actual = await(gate.repay(bucket, key, qty));
            } else if (choice < 62) {
                told.add("entomb " + key);
                expected = reference.entomb(key);
                actual = await(gate.entomb(bucket, key));
            } else if (choice < 68) {
                told.add("adopt " + key + " " + qty);
                expected = reference.adopt(key, qty);
                actual = await(gate.adopt(bucket, key, qty));
            } else if (choice < 70) {
                told.add("recount");
                expected = new Recounted.Corrected(reference.recount(20));
                actual = await(gate.inspect(bucket).chain(seen -> gate.recount(bucket, seen, 20)));
            } else if (choice < 75) {
                told.add("withdraw " + transfer + " " + qty);
                expected = reference.withdraw(transfer + "/out", qty.value());
                actual = await(gate.withdraw(bucket, transfer + "/out", qty.value(), reference.epoch));
            } else if (choice < 80) {
                told.add("deposit " + transfer + " " + qty);
                expected = reference.deposit(transfer + "/in", qty.value());
                actual = await(gate.deposit(bucket, transfer + "/in", qty.value(), reference.epoch));
            } else if (choice < 83) {
                told.add("close");
                reference.closed = true;
                expected = null;
                actual = await(gate.close(bucket));
            } else if (choice < 88) {
                told.add("open");
                reference.closed = false;
                expected = null;
                actual = await(gate.open(bucket));
            } else if (choice < 91) {
                told.add("spill " + key);
                reference.spills.put(key.value(), 7);
                expected = null;
                actual = await(gate.spill(bucket, key, 7));
            } else if (choice < 95) {
                told.add("find " + key);
                expected = reference.find(key);
                actual = await(gate.find(bucket, key));
            } else if (choice < 98) {
                told.add("forget the tombstone of " + key);
                reference.tombstones.remove(key.value());
                expected = null;
                actual = null;
                probe.send(Command.ZREM, BucketKey.TOMBSTONES.of(bucket), key);
            } else if (choice == 98 && losing) {
                told.add("lose " + key);
                reference.history.remove(key.value());
                expected = null;
                actual = null;
                probe.loseEntries(bucket, key.value());
            } else {
                told.add("load again");
                expected = Claim.TAKEN;
                actual = reload(bucket, reference);
            }
            String story = "seed " + seed + ", step " + step + ": " + told.get(told.size() - 1);
            assertEquals(expected, actual, story);
            assertEquals(reference.shown(), shown(bucket), story);
            probe.assertAddsUp(bucket);
            if (!losing) {
                probe.assertSound(bucket);
            }
        }
    }

    /** Redis loses the stock key; the load brings back what the reference says is sold. */
    private Claim reload(BucketId bucket, Reference reference) {
        reference.epoch++;
        reference.recount(reference.allotment);
        reference.transfers.clear();
        reference.closed = false;
        Map<DeductKey, Quantity> sold = new LinkedHashMap<>();
        reference.history.forEach((key, qty) -> sold.put(new DeductKey(key), new Quantity(qty)));
        LoadedUnits units = new LoadedUnits(reference.allotment, reference.deducted, reference.count, false, Map.of());
        probe.send(Command.DEL, BucketKey.STOCK.of(bucket));
        if (reference.allotment < reference.deducted) {
            // The ledger never sells more than it was given, so there is no such load: give it more.
            units = new LoadedUnits(reference.deducted, reference.deducted, reference.count, false, Map.of());
            reference.recount(reference.deducted);
        }
        await(gate.begin(bucket, reference.epoch));
        await(gate.stage(bucket, reference.epoch, sold));
        return await(gate.finish(bucket, reference.epoch, units));
    }

    private Map<String, Object> shown(BucketId bucket) {
        Inspection seen = await(gate.inspect(bucket));
        Map<String, Object> shown = new TreeMap<>();
        shown.put("book", List.of(seen.stock(), seen.allotment(), seen.deducted(), seen.count(), seen.epoch()));
        shown.put("closed", seen.closed());
        shown.put(
                "history",
                probe.history(bucket).entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, e -> Integer.valueOf(e.getValue()))));
        shown.put("tombstones", new TreeSet<>(probe.tombstones(bucket)));
        shown.put("spills", probe.hash(BucketKey.SPILLS, bucket).keySet());
        return shown;
    }

    /** One loaded bucket, as the protocol describes it. */
    private static final class Reference {
        final Map<String, Integer> history = new TreeMap<>();
        final TreeSet<String> tombstones = new TreeSet<>();
        final Map<String, Integer> spills = new TreeMap<>();
        final Map<String, Long> transfers = new TreeMap<>();
        long stock;
        long allotment;
        long deducted;
        long count;
        long epoch = 1;
        boolean closed;

        Reference(long units) {
            stock = units;
            allotment = units;
        }

        DeductAnswer deduct(DeductKey key, Quantity qty) {
            DeductCode code = code(key.value(), qty.value());
            if (code == DeductCode.DEDUCTED) {
                history.put(key.value(), qty.value());
                take(qty.value(), 1);
                code = stock == 0 ? DeductCode.DEDUCTED_LAST : code;
            }
            return new DeductAnswer(
                    code, epoch, stock, code == DeductCode.SPILLED ? spills.get(key.value()) : -1, allotment);
        }

        private DeductCode code(String key, int qty) {
            if (tombstones.contains(key)) {
                return DeductCode.FINISHED;
            } else if (history.containsKey(key)) {
                return history.get(key) == qty ? DeductCode.DUPLICATE : DeductCode.KEY_REUSED;
            } else if (spills.containsKey(key)) {
                return DeductCode.SPILLED;
            } else if (closed) {
                return DeductCode.CLOSED;
            }
            return stock < qty ? DeductCode.INSUFFICIENT : DeductCode.DEDUCTED;
        }

        RestoreAnswer restore(DeductKey key, Integer soldAt) {
            Integer qty = history.remove(key.value());
            if (qty == null) {
                boolean before = tombstones.contains(key.value()) || soldAt != null && spills.containsKey(key.value());
                return before ? RESTORED_BEFORE : UNKNOWN;
            }
            take(-qty, -1);
            if (soldAt == null) {
                tombstones.add(key.value());
            } else {
                spills.put(key.value(), soldAt);
            }
            return RESTORED;
        }

        RestoreAnswer repay(DeductKey key, Quantity qty) {
            RestoreAnswer restored = restore(key, null);
            if (restored != UNKNOWN) {
                return restored;
            }
            tombstones.add(key.value());
            if (history.size() >= count || qty.value() > deducted) {
                return RESTORED_BEFORE;
            }
            take(-qty.value(), -1);
            return RESTORED;
        }

        Entombed entomb(DeductKey key) {
            int units = history.getOrDefault(key.value(), 0);
            RestoreAnswer restored = restore(key, null);
            return new Entombed(tombstones.add(key.value()) ? RESTORED : restored, units);
        }

        RestoreAnswer adopt(DeductKey key, Quantity qty) {
            Integer held = history.get(key.value());
            if (tombstones.contains(key.value()) || held != null && held == qty.value()) {
                return RESTORED_BEFORE;
            }
            if (held != null) {
                take(qty.value() - held, 0);
            } else if (history.size() >= count) {
                take(qty.value(), 1);
            }
            history.put(key.value(), qty.value());
            return RESTORED;
        }

        long recount(long ledgerAllotment) {
            long before = stock;
            allotment = ledgerAllotment;
            deducted = history.values().stream().mapToLong(Integer::longValue).sum();
            count = history.size();
            stock = allotment - deducted;
            return stock - before;
        }

        Moved withdraw(String id, long atMost) {
            long units = transfers.computeIfAbsent(id, none -> {
                long taken = Math.min(atMost, Math.max(stock, 0));
                stock -= taken;
                allotment -= taken;
                return taken;
            });
            return new Moved.Units(units);
        }

        Moved deposit(String id, long given) {
            long units = transfers.computeIfAbsent(id, none -> {
                stock += given;
                allotment += given;
                return given;
            });
            return new Moved.Units(units);
        }

        HeldEntry find(DeductKey key) {
            Integer qty = history.get(key.value());
            Integer taker = spills.get(key.value());
            return new HeldEntry(
                    true,
                    qty == null ? OptionalInt.empty() : OptionalInt.of(qty),
                    tombstones.contains(key.value()),
                    taker == null ? OptionalInt.empty() : OptionalInt.of(taker));
        }

        Map<String, Object> shown() {
            Map<String, Object> shown = new TreeMap<>();
            shown.put("book", List.of(stock, allotment, deducted, count, epoch));
            shown.put("closed", closed);
            shown.put("history", history);
            shown.put("tombstones", tombstones);
            shown.put("spills", spills.keySet());
            return shown;
        }

        private void take(long units, long entries) {
            stock -= units;
            deducted += units;
            count += entries;
        }
    }
}
