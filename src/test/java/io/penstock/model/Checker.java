package io.penstock.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Walks every reachable state of a sale, nearest first, so that the first violation found has a shortest trace. */
final class Checker {

    private static final int MOST_STATES = 150_000;

    private final Protocol protocol;
    private final Invariants invariants;

    private final Map<State, Integer> numbers = new HashMap<>();
    private final List<State> states = new ArrayList<>();
    private final List<Integer> parents = new ArrayList<>();
    private final Set<State> comeToRest = new HashSet<>();

    Checker(Protocol protocol) {
        this.protocol = protocol;
        this.invariants = new Invariants(protocol);
    }

    /** @param violation the nearest, null if every state holds */
    record Walked(int states, Violation violation) {}

    /** @param trace from the initial state to the violation, which may show only once all has come to rest */
    record Violation(String what, List<Action> trace) {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(what);
            int step = 1;
            for (Action action : trace) {
                text.append("\n  ").append(step++).append(". ").append(action);
            }
            return text.toString();
        }
    }

    /** @param visited sees each state once */
    Walked walk(Consumer<State> visited) {
        visit(protocol.sale().initial(), -1);
        for (int at = 0; at < states.size(); at++) {
            State s = states.get(at);
            visited.accept(s);
            Optional<String> broken = invariants.broken(s).or(() -> invariants.brokenAtRest(s, comeToRest));
            if (broken.isPresent()) {
                return new Walked(states.size(), new Violation(broken.get(), trace(at)));
            }
            for (Action action : protocol.enabled(s)) {
                State next = protocol.next(s, action);
                if (!next.equals(s)) {
                    visit(next, at);
                }
            }
            if (states.size() > MOST_STATES) {
                throw new IllegalStateException("more than " + MOST_STATES + " states");
            }
        }
        return new Walked(states.size(), null);
    }

    private void visit(State s, int parent) {
        if (numbers.putIfAbsent(s, states.size()) == null) {
            states.add(s);
            parents.add(parent);
        }
    }

    private List<Action> trace(int at) {
        List<Action> trace = new ArrayList<>();
        for (int to = at; parents.get(to) >= 0; to = parents.get(to)) {
            trace.add(between(states.get(parents.get(to)), states.get(to)));
        }
        Collections.reverse(trace);
        return trace;
    }

    private Action between(State from, State to) {
        return protocol.enabled(from).stream()
                .filter(action -> protocol.next(from, action).equals(to))
                .findFirst()
                .orElseThrow();
    }
}
