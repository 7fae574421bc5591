package io.penstock.campaign;

import io.penstock.campaign.AtRest.FlowRow;
import io.penstock.campaign.Question.Reply;
import io.penstock.campaign.Shop.Answer;
import io.penstock.ledger.LedgerInvariants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What Penstock promises, held against all that a sale was answered, what the order system was told and what the servers have at rest. One and the same for every
 * campaign.
 */
final class Promises {

    private static final Set<Integer> STATUSES = Set.of(0, 200, 201, 202, 400, 409, 422, 429, 503);
    private static final Set<String> GIVEN_BACK = Set.of("ROLLED_BACK", "CANCELLED");

    private final AtRest atRest;
    private final OutcomeMessages outcomes;
    private final boolean redisLostData;

    /** @param redisLostData whether the ledger may have had to reject what the gate accepted, and the gate to accept a key twice */
    Promises(AtRest atRest, OutcomeMessages outcomes, boolean redisLostData) {
        this.atRest = atRest;
        this.outcomes = outcomes;
        this.redisLostData = redisLostData;
    }

    /** What is broken, or not done yet. */
    List<String> broken(Sale sale) throws Exception {
        try (Connection ledger = atRest.ledgerAtOneInstant()) {
            return broken(sale, ledger);
        }
    }

    /** The same, with the ledger as this connection sees it. */
    List<String> broken(Sale sale, Connection ledger) throws Exception {
        List<String> broken = new ArrayList<>(atRest.differences(ledger, sale.sku(), Sale.CODE, Sale.BUCKETS));
        LedgerInvariants.broken(ledger).forEach((what, by) -> broken.add("not so in the ledger: " + what + ": " + by));
        adjustedOnce(sale, ledger, broken);
        Map<String, FlowRow> flows = AtRest.flows(ledger, sale.sku());
        Map<String, String> told = outcomes.told();
        for (Order order : sale.orders()) {
            FlowRow flow = flows.get(order.key());
            List<String> ofOrder = new ArrayList<>();
            answered(order, ofOrder);
            ended(order, flow, ofOrder);
            if (flow != null && !flow.status().equals(told.get(order.key()))) {
                ofOrder.add("the order system was told " + told.get(order.key()));
            }
            ofOrder.forEach(what -> broken.add(what + " | " + order + " | " + flow));
        }
        return broken;
    }

    private void adjustedOnce(Sale sale, Connection ledger, List<String> broken) throws SQLException {
        long expected = Sale.TOTAL;
        for (Sale.Adjustment adjustment : sale.adjustments()) {
            Answer decision = adjustment.question().decision().orElse(null);
            if (decision == null || !(decision.accepted() || decision.status() == 409)) {
                broken.add("an adjustment was not decided: " + adjustment.question());
            } else if (decision.accepted()) {
                expected += adjustment.delta();
            }
        }
        long allotted = AtRest.allotted(ledger, sale.sku());
        if (allotted != expected) {
            broken.add("adjusted to " + expected + ", the ledger was given " + allotted);
        }
    }

    /** Each answer by itself, and against those that came before it was asked for. */
    private void answered(Order order, List<String> broken) {
        order.questions().filter(Question::wasAsked).forEach(question -> {
            if (question.decision().isEmpty() && order.plan() != Order.Plan.GIVE_UP) {
                broken.add("not decided: " + question.what());
            }
            question.replies().map(Reply::answer).forEach(answer -> {
                if (!STATUSES.contains(answer.status())) {
                    broken.add("never to be answered: " + answer);
                }
            });
        });
        order.again().decision().filter(answer -> !redisLostData).ifPresent(answer -> {
            if (answer.status() == 201) {
                broken.add("deducted twice");
            } else if (answer.insufficient()) {
                broken.add("an accepted key was forgotten");
            }
        });
        List<Reply> deductions = Stream.concat(
                        order.deduction().replies(), order.again().replies())
                .toList();
        order.rollbacks().stream()
                .flatMap(Question::replies)
                .forEach(rollback -> deductions.forEach(deduction -> {
                    if (!redisLostData
                            && rollback.answer().status() == 200
                            && deduction.askedAt() > rollback.answeredAt()
                            && deduction.answer().accepted()) {
                        broken.add("deducted after its rollback was done");
                    }
                }));
        order.otherQty()
                .decision()
                .filter(answer -> answer.status() != 422 && !redisLostData)
                .ifPresent(answer -> broken.add("another qty was not refused"));
        order.nonsense()
                .decision()
                .filter(answer -> answer.status() != 400)
                .ifPresent(answer -> broken.add("nonsense was not refused"));
    }

    /** How the ledger says that it ended, against the answers. */
    private void ended(Order order, FlowRow flow, List<String> broken) {
        List<Answer> accepted = order.deduction()
                .replies()
                .map(Reply::answer)
                .filter(Answer::accepted)
                .toList();
        if (order.askedForItsReturn()) {
            if (flow == null || !(GIVEN_BACK.contains(flow.status()) || rejected(flow))) {
                broken.add("not given back");
            }
            order.rollbacks()
                    .forEach(rollback -> rollback.decision().ifPresent(answer -> returned(answer, flow, broken)));
        } else if (!accepted.isEmpty()) {
            if (flow == null || !(flow.status().equals("DEDUCTED") || rejected(flow))) {
                broken.add("accepted, and not kept");
            }
        } else if (flow != null && !rejected(flow) && !mayHaveBeenTaken(order)) {
            broken.add("refused, and left a trace");
        }
        if (flow != null && flow.bucketNo() != null) {
            if (flow.qty() != order.qty()) {
                broken.add("sold with another qty");
            }
            if (!redisLostData
                    && accepted.stream()
                            .anyMatch(answer ->
                                    !flow.bucketNo().equals(answer.body().getInteger("bucketNo")))) {
                broken.add("sold from another bucket than was answered");
            }
        }
    }

    /** Nobody waited for the decision. */
    private static boolean mayHaveBeenTaken(Order order) {
        return order.deduction().wasAsked() && order.deduction().decision().isEmpty();
    }

    private boolean rejected(FlowRow flow) {
        return redisLostData && flow.status().equals("REJECTED");
    }

    private static void returned(Answer answer, FlowRow flow, List<String> broken) {
        String status = flow == null ? null : flow.status();
        boolean honest = switch (answer.status()) {
            case 200 ->
                switch (answer.outcome()) {
                    case "ROLLED_BACK", "CANCELLED" -> answer.outcome().equals(status);
                    case "ALREADY_ROLLED_BACK" -> Objects.equals(answer.body().getString("status"), status);
                    default -> false;
                };
            case 202 -> status != null;
            default -> false;
        };
        if (!honest) {
            broken.add("a rollback's answer is not true: " + answer);
        }
    }
}
