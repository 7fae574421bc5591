package io.penstock.model;

import io.penstock.model.Flow.Status;
import io.penstock.model.Part.Step;
import java.util.function.Predicate;

/** What a sale must come across: a model in which nothing happens keeps every promise. */
enum Situation {
    CANCELLED_BEFORE_DEDUCTED(
            Sale.RETRIES, s -> has(s, Status.CANCELLED) && s.bucket(0).history() != 0),
    REFUSED_BY_A_TOMBSTONE(
            Sale.RETRIES, s -> s.bucket(0).buried(0) && s.budget().requests() == 0),
    TOMBSTONE_TRIMMED(Sale.TRIMMED, s -> s.budget().trims() == 0 && has(s, Status.ROLLED_BACK)),
    DEDUCTED_AWAY_FROM_HOME(Sale.COMPETITION, s -> s.ledger().flow(2).soldAt(1)),
    POINTER_FOLLOWED(
            Sale.SPILLED,
            s -> s.pending().stream().anyMatch(action -> action instanceof Action.Ask ask && ask.followed())),
    HELD_TWICE(Sale.SPILLED, s -> s.bucket(0).holds(0) && s.bucket(1).holds(0)),
    STRAY_OWED(Sale.SPILLED, s -> s.ledger().strays() != 0),
    POINTER_LEFT_BY_A_STRAY(Sale.SPILLED, s -> s.bucket(1).pointer(0) == 0),
    OUTCOME_OWED(Sale.OUTCOMES, s -> s.ledger().untold() != 0),
    REJECTED(Sale.FAIL_OVER, s -> has(s, Status.REJECTED)),
    BELOW_ZERO(Sale.REJECTIONS, s -> s.bucket(0).stock() < 0),
    ENTRY_MISSING(Sale.EVICTED, s -> s.bucket(0).entries() < s.bucket(0).count()),
    LOADED_AGAIN(Sale.WIPED, s -> s.bucket(0).loaded() && s.bucket(0).epoch() == 2),
    ADOPTED(
            Sale.WIPED,
            s -> s.bucket(0).epoch() == 2
                    && s.ledger().flow(0).soldAt(0)
                    && s.bucket(0).stock() < 0),
    TOMBSTONES_OUTLIVE_A_LOAD(
            Sale.STOCK_LOST, s -> !s.bucket(0).loaded() && s.bucket(0).tombstones() != 0),
    LOADED_TWICE(Sale.WIPED_TWICE, s -> s.bucket(0).loaded() && s.bucket(0).epoch() == 3),
    LOADED_BUCKET_TOOK_ON_AN_EPOCH(
            Sale.TWO_LOADERS, s -> s.bucket(0).loaded() && s.bucket(0).epoch() == 3),
    RECOUNT_LATE(
            Sale.CALIBRATION,
            s -> s.pending().stream()
                    .anyMatch(action -> action instanceof Action.Recount recount
                            && !recount.seen().equals(Seen.of(s.bucket(0))))),
    MERGED(Sale.MERGE, s -> step(s, Step.DONE) && s.ledger().bucket(1).allotted() == 2),
    WITHDRAWN_IN_VAIN(Sale.MERGE_FAILED_OVER, s -> step(s, Step.BACK)),
    GIVEN(Sale.GIVING, s -> step(s, Step.DONE) && s.ledger().flow(0).soldAt(0)),
    TAKEN(Sale.TAKING, s -> s.ledger().taken()),
    TOO_FEW_TO_TAKE(Sale.TAKING, s -> step(s, Step.DONE) && !s.ledger().taken()),
    PAUSED_WITH_A_SOLD_KEY(Sale.PAUSED, s -> s.bucket(0).closed() && s.bucket(0).history() != 0),
    RESUMED(Sale.RESUMED, s -> s.ledger().flow(0).soldAt(0)),
    RETIRED_BUCKET_TAKES_A_ROLLBACK(
            Sale.RETIRED,
            s -> s.bucket(0).closed()
                    && s.bucket(0).buried(0)
                    && s.ledger().flow(0).bucket() == 0),
    FORGED_ENTRY_REMOVED(
            Sale.FORGED,
            s -> s.budget().faults() == 0
                    && !s.bucket(0).holds(1)
                    && !s.ledger().flow(1).exists()),
    FORGED_ENTRY_SETTLED(Sale.FORGED, s -> s.ledger().flow(1).exists()),
    CONSUMED_AGAIN(Sale.ORDERED, s -> s.budget().rereads() == 0 && has(s, Status.ROLLED_BACK)),
    ROLLBACK_SENT_FIRST(
            Sale.ORDERED, s -> has(s, Status.CANCELLED) && s.bucket(0).history() != 0);

    private final Sale sale;
    private final Predicate<State> shows;

    Situation(Sale sale, Predicate<State> shows) {
        this.sale = sale;
        this.shows = shows;
    }

    Sale sale() {
        return sale;
    }

    boolean shows(State s) {
        return shows.test(s);
    }

    private static boolean has(State s, Status status) {
        return s.ledger().flows().stream().anyMatch(flow -> flow.status() == status);
    }

    private static boolean step(State s, Step step) {
        return s.ledger().parts().get(0).step() == step;
    }
}
