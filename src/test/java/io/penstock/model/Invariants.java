package io.penstock.model;

import io.penstock.model.Flow.Credit;
import io.penstock.model.Flow.Status;
import io.penstock.model.Part.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What must hold in every state of a sale, and once it has come to rest. */
final class Invariants {

    /** Background work that has not come to rest after so many steps never does. */
    private static final int MOST_STEPS = 500;

    private final Protocol protocol;
    private final Sale sale;

    Invariants(Protocol protocol) {
        this.protocol = protocol;
        this.sale = protocol.sale();
    }

    /** What is broken in this state, if anything is. */
    Optional<String> broken(State s) {
        return alwaysBroken(s).or(() -> pauseBroken(s));
    }

    private Optional<String> alwaysBroken(State s) {
        for (int bucket = 0; bucket < sale.buckets(); bucket++) {
            int of = bucket;
            Optional<String> broken = ledgerBroken(s, bucket).or(() -> gateBroken(s, of));
            if (broken.isPresent()) {
                return broken;
            }
        }
        int given = sale.giving() && s.ledger().parts().get(0).step() != Step.NONE ? 1 : 0;
        int taken = s.ledger().taken() ? s.ledger().parts().size() : 0;
        int allotted =
                s.ledger().buckets().stream().mapToInt(LedgerBucket::allotted).sum();
        if (allotted != sale.units() + given - taken) {
            return Optional.of("units appeared or vanished in the ledger");
        }
        return clientsBroken(s);
    }

    private Optional<String> ledgerBroken(State s, int bucket) {
        LedgerBucket row = s.ledger().bucket(bucket);
        if (row.available() < 0
                || row.available()
                        != row.allotted() - Integer.bitCount(s.ledger().sold(bucket))) {
            return Optional.of("the ledger of bucket " + bucket + " does not add up: oversold, or given back twice");
        }
        return Optional.empty();
    }

    private Optional<String> gateBroken(State s, int bucket) {
        Bucket b = s.bucket(bucket);
        LedgerBucket row = s.ledger().bucket(bucket);
        if (!b.loaded()) {
            return Optional.empty();
        }
        if ((b.tombstones() & s.ledger().sold(0)) != 0 || (b.tombstones() & soldElsewhere(s)) != 0) {
            return Optional.of("a sold key is answered as finished");
        }
        if (b.stock() + b.count() != b.allotment()) {
            return Optional.of("the book of bucket " + bucket + " does not add up");
        }
        if (!sale.lossy()) {
            if (b.entries() != b.count()) {
                return Optional.of("the book of bucket " + bucket + " counts other entries than there are");
            }
            if (b.stock() > row.available()) {
                return Optional.of("Redis shows more than the ledger has in bucket " + bucket);
            }
        }
        return Optional.empty();
    }

    private int soldElsewhere(State s) {
        return sale.buckets() > 1 ? s.ledger().sold(1) : 0;
    }

    private Optional<String> clientsBroken(State s) {
        Clients clients = s.clients();
        if (clients.lied() != 0) {
            return Optional.of("an accepted key was refused, or sold again");
        }
        int rejected = 0;
        for (int key = 0; key < sale.keys(); key++) {
            Flow flow = s.ledger().flow(key);
            rejected += flow.status() == Status.REJECTED ? 1 : 0;
            if (clients.isReturned(key) && !(flow.finished() && flow.credit() != Credit.OWED)) {
                return Optional.of("a rollback was answered as done and is not");
            }
            if (clients.isReturned(key) && !sale.lossy() && !sale.trims() && heldAfterReturn(s, key, flow)) {
                return Optional.of("a key holds units after its rollback was answered");
            }
            if (s.ordered()
                    && flow.status() == Status.CANCELLED
                    && s.logs().get(key).beginsWithDeduction()) {
                return Optional.of("a rollback was consumed before the deduction sent before it");
            }
        }
        if (rejected > 0 && !sale.lossy()) {
            return Optional.of("an accepted deduction was rejected though nothing was lost");
        }
        if (rejected > clients.lost()
                && sale.lossy()
                && sale.fault() != Sale.Fault.FORGE
                && s.ledger().parts().isEmpty()) {
            return Optional.of("more deductions were rejected than units were lost");
        }
        return Optional.empty();
    }

    private boolean heldAfterReturn(State s, int key, Flow flow) {
        for (int bucket = 0; bucket < sale.buckets(); bucket++) {
            boolean refused = flow.status() == Status.CANCELLED || flow.bucket() == bucket;
            if (refused && s.bucket(bucket).holds(key)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Nobody is on the way to close it any more. If a loader dies before it has read the state again the bucket stays open until
     * reconciliation, which is no part of a sale.
     */
    private Optional<String> pauseBroken(State s) {
        boolean underway = s.pending().stream()
                .anyMatch(action -> action instanceof Action.SetClosed
                        || action instanceof Action.MatchState
                        || action instanceof Action.CloseLedger
                        || action instanceof Action.Finish);
        Bucket b = s.bucket(0);
        boolean paused = (s.clients().paused() & 1) != 0;
        return paused && !underway && b.loaded() && !b.closed()
                ? Optional.of("a paused bucket sells")
                : Optional.empty();
    }

    /**
     * What is broken once background work alone has brought this state to rest: clients and faults stop, every process has died.
     *
     * @param good states that are known to come to rest well; those that are passed on the way are added
     */
    Optional<String> brokenAtRest(State s, Set<State> good) {
        List<State> way = new ArrayList<>();
        State t = s.stopped();
        while (!good.contains(t)) {
            way.add(t);
            if (way.size() > MOST_STEPS) {
                return Optional.of("background work does not come to rest");
            }
            State next = workOnce(t);
            if (next == t) {
                State rest = t;
                Optional<String> broken =
                        alwaysBroken(rest).or(() -> differs(rest)).or(() -> unkept(rest));
                if (broken.isPresent()) {
                    return broken;
                }
                break;
            }
            t = next;
        }
        good.addAll(way);
        return Optional.empty();
    }

    /** The first thing that changes something, taken to its end. */
    private State workOnce(State s) {
        for (Action action : protocol.background(s)) {
            State t = protocol.next(s, action);
            while (!t.pending().isEmpty()) {
                t = protocol.next(t, t.pending().get(0));
            }
            if (!t.equals(s)) {
                return t;
            }
        }
        return s;
    }

    private Optional<String> differs(State rest) {
        for (int bucket = 0; bucket < sale.buckets(); bucket++) {
            Bucket b = rest.bucket(bucket);
            LedgerBucket row = rest.ledger().bucket(bucket);
            boolean same = b.loaded()
                    && b.history() == rest.ledger().sold(bucket)
                    && b.stock() == row.available()
                    && b.allotment() == row.allotted()
                    && b.count() == b.entries();
            if (!same) {
                return Optional.of("at rest Redis and ledger differ in bucket " + bucket);
            }
        }
        return rest.ledger().parts().stream().allMatch(part -> part.step() == Step.DONE)
                ? Optional.empty()
                : Optional.of("a transfer never ends");
    }

    private Optional<String> unkept(State rest) {
        for (int key = 0; key < sale.keys(); key++) {
            Flow flow = rest.ledger().flow(key);
            boolean rejected = sale.lossy() && flow.status() == Status.REJECTED;
            if (rest.clients().keeps(key) && flow.status() != Status.DEDUCTED && !rejected) {
                return Optional.of("accepted deduction " + key + " was lost");
            }
            if (rest.clients().isCancelled(key) && !flow.finished()) {
                return Optional.of("cancelled deduction " + key + " is still sold");
            }
            if (flow.owes()) {
                return Optional.of("a credit is owed for ever");
            }
            if (sale.telling() && flow.exists() && !rest.clients().isTold(key)) {
                return Optional.of("the outcome of key " + key + " is never told");
            }
        }
        return Optional.empty();
    }
}
