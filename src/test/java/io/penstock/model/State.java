package io.penstock.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Everything at one instant.
 *
 * @param gate Redis, by bucket
 * @param replica what a failover would go back to; empty where Redis does not fail over
 * @param messages {@code stock.deduct}: the messages whose offset is not committed, see {@link Message#bit}
 * @param logs {@code stock.ordered}, by key; empty where a SKU is SPLIT
 * @param pending what processes are about to do, if they live; in one order, so that equal states are equal
 */
record State(
        List<Bucket> gate,
        List<Bucket> replica,
        Ledger ledger,
        long messages,
        List<Log> logs,
        List<Action> pending,
        Clients clients,
        Budget budget) {

    private static final Comparator<Action> ORDER = Comparator.<Action>comparingInt(
                    action -> action.getClass().getSimpleName().hashCode())
            .thenComparingInt(Object::hashCode)
            .thenComparing(Object::toString);

    Bucket bucket(int bucket) {
        return gate.get(bucket);
    }

    boolean ordered() {
        return !logs.isEmpty();
    }

    State with(int bucket, Bucket changed) {
        return changed == gate.get(bucket)
                ? this
                : new State(
                        Ledger.put(gate, bucket, changed), replica, ledger, messages, logs, pending, clients, budget);
    }

    State withReplica(int bucket, Bucket changed) {
        return new State(gate, Ledger.put(replica, bucket, changed), ledger, messages, logs, pending, clients, budget);
    }

    State with(Ledger changed) {
        return new State(gate, replica, changed, messages, logs, pending, clients, budget);
    }

    State withMessages(long changed) {
        return new State(gate, replica, ledger, changed, logs, pending, clients, budget);
    }

    State withLog(int key, Log changed) {
        return new State(gate, replica, ledger, messages, Ledger.put(logs, key, changed), pending, clients, budget);
    }

    State with(Clients changed) {
        return new State(gate, replica, ledger, messages, logs, pending, changed, budget);
    }

    State with(Budget changed) {
        return new State(gate, replica, ledger, messages, logs, pending, clients, changed);
    }

    /** Some process is about to do this; two that are about to do the same are one. */
    State then(Action action) {
        if (pending.contains(action)) {
            return this;
        }
        List<Action> more = new ArrayList<>(pending);
        more.add(action);
        if (more.size() > 1) {
            more.sort(ORDER);
        }
        return withPending(Collections.unmodifiableList(more));
    }

    State without(Action action) {
        int index = pending.indexOf(action);
        if (index < 0) {
            return this;
        }
        List<Action> fewer = new ArrayList<>(pending);
        fewer.remove(index);
        return withPending(Collections.unmodifiableList(fewer));
    }

    State withoutAll(Predicate<Action> which) {
        return pending.stream().anyMatch(which)
                ? withPending(pending.stream().filter(which.negate()).toList())
                : this;
    }

    /** Clients and faults stop, and every process dies. */
    State stopped() {
        return withPending(List.of()).with(Budget.AT_REST);
    }

    private State withPending(List<Action> changed) {
        return new State(gate, replica, ledger, messages, logs, changed, clients, budget);
    }
}
