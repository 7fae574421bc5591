package io.penstock.model;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Model and real parts side by side: each step is done by both, and leaves both alike. */
final class RealRun {

    /** Background work that goes on for longer never comes to rest. */
    private static final int MOST_WORK = 50;

    private static final int MOST_ROUNDS = 20;

    private final Protocol protocol;
    private final Projection projection;
    private final RealInvariants invariants;
    private final RealSale real;
    private final List<Action> trace = new ArrayList<>();
    private State state;

    RealRun(RealParts parts, Protocol protocol) {
        this.protocol = protocol;
        this.projection = new Projection(protocol.sale());
        this.invariants = new RealInvariants(protocol.sale());
        this.state = protocol.sale().initial();
        this.real = new RealSale(parts, protocol);
        compare(real.look());
    }

    State state() {
        return state;
    }

    List<Action> enabled() {
        return protocol.enabled(state);
    }

    boolean changes(Action action) {
        return !protocol.next(state, action).equals(state);
    }

    /** @return what is broken afterwards */
    List<String> step(Action action) {
        return invariants.brokenWhileAlive(both(action), state);
    }

    private Observed both(Action action) {
        trace.add(action);
        real.perform(state, action);
        state = protocol.next(state, action);
        Observed seen = real.look();
        compare(seen);
        return seen;
    }

    /**
     * Clients and faults stop, every process dies; background work alone goes on until it has nothing to do.
     *
     * @return what is broken then
     */
    List<String> comeToRest() {
        state = state.stopped();
        for (int work = 0; work < MOST_WORK; work++) {
            List<Action> next = work();
            if (next.isEmpty()) {
                Observed rest = real.look();
                List<String> broken = invariants.brokenAtRest(rest, state);
                broken.addAll(invariants.untold(rest, real.told()));
                return broken;
            }
            for (Action action : next) {
                List<String> broken = invariants.broken(both(action), state);
                if (!broken.isEmpty()) {
                    return broken;
                }
            }
        }
        return List.of("background work does not come to rest");
    }

    /**
     * As {@link #comeToRest}, but the work is the service's own: the settlement from Kafka, the sweeper, the resolver, loads and calibrations. What
     * processes had in hand they do when all that is over, and it must be put right again.
     *
     * @return what is still broken when the service has had its time
     */
    List<String> leaveToTheService() {
        List<Action> asleep = state.pending();
        state = state.stopped();
        for (int key = 0; key < state.logs().size(); key++) {
            while (state.logs().get(key).hasNext()) {
                both(new Action.Consume(key, state.logs().get(key).next()));
            }
        }
        real.handOver(state);
        List<String> broken = brokenAfterTheServicesWork();
        if (!broken.isEmpty()) {
            return broken;
        }
        for (Action action : asleep) {
            trace.add(action);
            real.wakeUp(state, action);
            // Its unit may have been on sale meanwhile.
            state = action instanceof Action.Send ? state.with(state.clients().lost(1)) : state;
        }
        return brokenAfterTheServicesWork();
    }

    private List<String> brokenAfterTheServicesWork() {
        List<String> broken = List.of();
        for (int round = 0; round < MOST_ROUNDS; round++) {
            real.backgroundRound();
            Observed seen = real.look();
            broken = invariants.brokenAtRest(seen, state);
            if (broken.isEmpty()) {
                break;
            }
            IntStream.range(0, seen.gate().size())
                    .filter(bucket -> invariants.errorsCancelOut(seen, bucket))
                    .forEach(real::calibrate);
        }
        return broken;
    }

    /** The first thing that changes something, with all its steps; empty if there is none. */
    private List<Action> work() {
        for (Action action : protocol.background(state)) {
            List<Action> steps = new ArrayList<>(List.of(action));
            State t = protocol.next(state, action);
            while (!t.pending().isEmpty()) {
                Action pending = t.pending().get(0);
                steps.add(pending);
                t = protocol.next(t, pending);
            }
            if (!t.equals(state)) {
                return steps;
            }
        }
        return List.of();
    }

    private void compare(Observed seen) {
        assertAll(
                () -> assertEquals(state.gate(), projection.gate(seen), "Redis"),
                () -> assertEquals(
                        Projection.meaningful(state.ledger()),
                        Projection.meaningful(projection.ledger(seen)),
                        "the ledger"));
    }

    String story() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < trace.size(); i++) {
            text.append("\n  ").append(i + 1).append(". ").append(trace.get(i));
        }
        return text.toString();
    }
}
