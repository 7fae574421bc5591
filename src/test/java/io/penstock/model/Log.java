package io.penstock.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * ORDERED: the deductions and rollbacks of one key, in the order they were sent. A consumer that dies before it commits its offset
 * reads again from an earlier entry, and then all that follow.
 *
 * @param entries the deductions; null is a rollback
 * @param next the entry to be consumed next
 */
record Log(List<Message> entries, int next) {

    static final Log EMPTY = new Log(List.of(), 0);

    Log append(Message message) {
        List<Message> more = new ArrayList<>(entries);
        more.add(message);
        return new Log(Collections.unmodifiableList(more), next);
    }

    Log at(int next) {
        return new Log(entries, next);
    }

    boolean hasNext() {
        return next < entries.size();
    }

    /** Whether a deduction is on its way. */
    boolean awaitsDeduction() {
        return entries.subList(next, entries.size()).stream().anyMatch(message -> message != null);
    }

    /** Whether a deduction was sent before the first rollback. */
    boolean beginsWithDeduction() {
        return !entries.isEmpty() && entries.get(0) != null;
    }
}
