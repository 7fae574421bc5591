package io.penstock.model;

import io.penstock.model.Observed.BucketRow;
import io.penstock.model.Observed.FlowRow;
import io.penstock.model.Observed.RedisBucket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What must hold in the servers themselves after every step of a sale, and once it has come to rest. */
final class RealInvariants {

    private static final Set<String> BIRTHS = Set.of("DEDUCTED", "REJECTED", "CANCELLED");

    private final Sale sale;

    RealInvariants(Sale sale) {
        this.sale = sale;
    }

    /**
     * @param s what clients were told, and what processes have in hand
     * @return what is broken, in words; empty if all is well
     */
    List<String> broken(Observed seen, State s) {
        List<String> broken = new ArrayList<>();
        for (int i = 0; i < sale.buckets(); i++) {
            ledgerBroken(seen, i, broken);
            if (seen.gate().get(i).loaded()) {
                gateBroken(seen, i, broken);
            }
        }
        long allotted = seen.rows().stream().mapToLong(BucketRow::allotted).sum();
        check(allotted == sale.units() + seen.adjusted(), "units appeared or vanished in the ledger", broken);
        seen.journal().forEach((key, changes) -> storyBroken(key, changes, broken));
        clientsBroken(seen, s, broken);
        return broken;
    }

    private static void ledgerBroken(Observed seen, int bucket, List<String> broken) {
        BucketRow row = seen.rows().get(bucket);
        boolean adds =
                row.available() >= 0 && row.available() == row.allotted() - seen.sold(Projection.bucketNo(bucket));
        check(adds, "the ledger of bucket " + bucket + " does not add up: oversold, or given back twice", broken);
    }

    private void gateBroken(Observed seen, int bucket, List<String> broken) {
        RedisBucket b = seen.gate().get(bucket);
        check(
                b.stock() + b.inBook("deducted") == b.inBook("allotment"),
                "the book of bucket " + bucket + " does not add up",
                broken);
        b.tombstones()
                .forEach(key -> check(
                        !seen.flows().containsKey(key)
                                || !seen.flows().get(key).status().equals("DEDUCTED"),
                        "sold key " + key + " is answered as finished",
                        broken));
        if (!sale.lossy()) {
            check(
                    b.inBook("count") == b.history().size() && b.inBook("deducted") == b.units(),
                    "the book of bucket " + bucket + " counts other entries than there are",
                    broken);
            check(
                    b.stock() <= seen.rows().get(bucket).available(),
                    "Redis shows more than the ledger has in bucket " + bucket,
                    broken);
        }
    }

    /** Born once, rolled back once, credited once; repairs are of buckets, and may come again. */
    private static void storyBroken(String key, List<String> changes, List<String> broken) {
        List<String> births = changes.stream().filter(BIRTHS::contains).toList();
        check(births.size() <= 1, key + " has two flows: " + changes, broken);
        for (String once : List.of("ROLLED_BACK", "CREDIT_DONE")) {
            check(Collections.frequency(changes, once) <= 1, key + " was given back twice: " + changes, broken);
        }
    }

    private void clientsBroken(Observed seen, State s, List<String> broken) {
        Clients clients = s.clients();
        check(clients.lied() == 0, "an accepted key was refused, or sold again", broken);
        for (int key = 0; key < sale.keys(); key++) {
            FlowRow flow = seen.flows().get(Projection.key(key));
            if (clients.isReturned(key)) {
                check(finished(flow) && !flow.credit().equals("OWED"), "a rollback is answered, not done", broken);
                check(
                        sale.lossy() || sale.trims() || !heldAfterReturn(seen, key, flow),
                        "a key holds units after its rollback was answered",
                        broken);
            }
            check(
                    !s.ordered()
                            || flow == null
                            || !flow.status().equals("CANCELLED")
                            || !s.logs().get(key).beginsWithDeduction(),
                    "a rollback was consumed before the deduction sent before it",
                    broken);
        }
        long rejected = count(seen, "REJECTED");
        check(sale.lossy() || rejected == 0, "an accepted deduction was rejected though nothing was lost", broken);
        boolean units = sale.fault() == Sale.Fault.FORGE || !seen.adjustments().isEmpty();
        check(
                !sale.lossy() || units || rejected <= clients.lost(),
                "more deductions were rejected than units were lost",
                broken);
    }

    private boolean heldAfterReturn(Observed seen, int key, FlowRow flow) {
        for (int bucket = 0; bucket < sale.buckets(); bucket++) {
            boolean here = flow.status().equals("CANCELLED") || flow.bucket() == Projection.bucketNo(bucket);
            if (here && seen.gate().get(bucket).history().containsKey(Projection.key(key))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The same, and that a paused bucket does not sell. If a loader dies before it has read the state again the bucket stays open until
     * reconciliation, so that is said only while processes live.
     */
    List<String> brokenWhileAlive(Observed seen, State s) {
        List<String> broken = broken(seen, s);
        boolean underway = s.pending().stream()
                .anyMatch(action -> action instanceof Action.SetClosed
                        || action instanceof Action.MatchState
                        || action instanceof Action.CloseLedger
                        || action instanceof Action.Finish);
        RedisBucket b = seen.gate().get(0);
        boolean paused = (s.clients().paused() & 1) != 0;
        check(
                !paused || underway || !b.loaded() || b.book().get("closed").equals("1"),
                "a paused bucket sells",
                broken);
        return broken;
    }

    /** What is broken once clients and faults have stopped and the background work has nothing more to do. */
    List<String> brokenAtRest(Observed seen, State s) {
        List<String> broken = broken(seen, s);
        for (int bucket = 0; bucket < sale.buckets(); bucket++) {
            differs(seen, bucket, broken);
        }
        check(seen.debts().isEmpty(), "owed for ever: " + seen.debts(), broken);
        check(
                seen.transfers().values().stream().allMatch(part -> part.state().equals("DONE")),
                "a transfer never ends",
                broken);
        for (int key = 0; key < sale.keys(); key++) {
            FlowRow flow = seen.flows().get(Projection.key(key));
            boolean sold = flow != null && flow.status().equals("DEDUCTED");
            boolean rejected = sale.lossy() && flow != null && flow.status().equals("REJECTED");
            check(!s.clients().keeps(key) || sold || rejected, "accepted deduction " + key + " was lost", broken);
            check(
                    !s.clients().isCancelled(key) || finished(flow),
                    "cancelled deduction " + key + " is still sold",
                    broken);
        }
        return broken;
    }

    /** @param told the status of each deduct key that was told last */
    List<String> untold(Observed seen, Map<String, String> told) {
        return !sale.telling()
                ? List.of()
                : seen.flows().entrySet().stream()
                        .filter(flow -> !flow.getValue().status().equals(told.get(flow.getKey())))
                        .map(flow -> "the outcome of " + flow.getKey() + " is never told")
                        .toList();
    }

    private static void differs(Observed seen, int bucket, List<String> broken) {
        RedisBucket b = seen.gate().get(bucket);
        BucketRow row = seen.rows().get(bucket);
        boolean same = addsUp(b, row) && b.history().keySet().equals(seen.soldKeys(Projection.bucketNo(bucket)));
        check(same, "at rest Redis and ledger differ in bucket " + bucket + ": " + b + " and " + row, broken);
    }

    private static boolean addsUp(RedisBucket b, BucketRow row) {
        return b.loaded()
                && b.units() == row.allotted() - row.available()
                && b.stock() == row.available()
                && b.inBook("allotment") == row.allotted()
                && b.inBook("count") == b.history().size();
    }

    /**
     * Two errors that cancel out in number and in sum: a lost entry, and an orphan. The resolver cannot see them; reconciliation, which will compare
     * every entry, is not there yet.
     */
    boolean errorsCancelOut(Observed seen, int bucket) {
        RedisBucket b = seen.gate().get(bucket);
        return addsUp(b, seen.rows().get(bucket))
                && !b.history().keySet().equals(seen.soldKeys(Projection.bucketNo(bucket)));
    }

    private static boolean finished(FlowRow flow) {
        return flow != null && !flow.status().equals("DEDUCTED");
    }

    private static long count(Observed seen, String status) {
        return seen.flows().values().stream()
                .filter(flow -> flow.status().equals(status))
                .count();
    }

    private static void check(boolean holds, String what, List<String> broken) {
        if (!holds) {
            broken.add(what);
        }
    }
}
