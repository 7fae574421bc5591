package io.penstock.rollback;

import io.penstock.ledger.RollbackOrder;
import io.penstock.settlement.DeductMessage;
import io.penstock.stock.DeductKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The messages of a poll, in as few large steps as their order allows. A stage's deductions are written before its rollbacks, and a stage before the next; a key's messages stay in the order in which they were added. What
 * two keys do is independent, so as a rule one stage is enough.
 */
final class Stages {

    /** @param deductions come before the rollbacks */
    record Stage(List<DeductMessage.Part> deductions, List<RollbackOrder> rollbacks) {

        Stage() {
            this(new ArrayList<>(), new ArrayList<>());
        }
    }

    private final List<Stage> stages = new ArrayList<>();

    /** The first stage that a key's next deduction may be in: behind its rollbacks. */
    private final Map<DeductKey, Integer> first = new HashMap<>();

    void add(DeductMessage message) {
        int stage = message.parts().stream()
                .flatMap(part -> part.deductions().stream())
                .mapToInt(deduction -> first.getOrDefault(deduction.deductKey(), 0))
                .max()
                .orElse(0);
        message.parts().stream()
                .flatMap(part -> part.deductions().stream())
                .forEach(deduction -> first.put(deduction.deductKey(), stage));
        stage(stage).deductions().addAll(message.parts());
    }

    void add(RollbackOrder order) {
        int stage = first.getOrDefault(order.deductKey(), 0);
        first.put(order.deductKey(), stage + 1);
        stage(stage).rollbacks().add(order);
    }

    private Stage stage(int number) {
        while (stages.size() <= number) {
            stages.add(new Stage());
        }
        return stages.get(number);
    }

    List<Stage> inOrder() {
        return stages;
    }
}
