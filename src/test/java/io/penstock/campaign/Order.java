package io.penstock.campaign;

import io.penstock.campaign.Shop.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** One buyer's order: what he means to do with its key, and everything he was answered. */
final class Order {

    /** What the buyer means to do, and how many of a hundred do so. */
    enum Plan {
        KEEP(38),
        RETURN(14),
        /** Asks once, whatever the answer, and never again. */
        GIVE_UP(6),
        /** Twice at once by HTTP, and by the topic too. */
        RETURN_TWICE(8),
        RETURN_BY_TOPIC(8),
        /** The rollback comes before the deduction (空回滚), which must then be refused (悬挂). */
        RETURN_FIRST(8),
        RETURN_AT_ONCE(8),
        /** Asks for another quantity by the same key. */
        CHANGE_QTY(6),
        /** Asks for no unit at all. */
        NONSENSE(4);

        private final int share;

        Plan(int share) {
            this.share = share;
        }

        static Plan any(RandomGenerator random) {
            int ticket = random.nextInt(
                    Stream.of(values()).mapToInt(plan -> plan.share).sum());
            for (Plan plan : values()) {
                ticket -= plan.share;
                if (ticket < 0) {
                    return plan;
                }
            }
            throw new AssertionError();
        }
    }

    private final String key;
    private final int qty;
    private final Plan plan;
    private final Question deduction;
    private final Question again;
    private final Question rollback;
    private final Question secondRollback;
    private final Question otherQty;
    private final Question nonsense;
    private final RollbackMessages messages;
    private volatile CompletableFuture<Void> sent;

    Order(long sku, String key, RandomGenerator random, Shop shop, RollbackMessages messages) {
        this.key = key;
        this.qty = 1 + random.nextInt(3);
        this.plan = Plan.any(random);
        this.messages = messages;
        this.deduction = new Question("deduct", () -> shop.deduct(sku, key, qty), Order::decided);
        this.again = new Question("deduct again", () -> shop.deduct(sku, key, qty), Order::decided);
        this.rollback = new Question("roll back", () -> shop.rollBack(sku, key), Order::decided);
        this.secondRollback = new Question("roll back", () -> shop.rollBack(sku, key), Order::decided);
        this.otherQty = new Question("deduct another qty", () -> shop.deduct(sku, key, qty + 1), Order::decided);
        this.nonsense = new Question("deduct nothing", () -> shop.deduct(sku, key, 0), Order::decided);
    }

    private static boolean decided(Answer answer) {
        return !answer.unknown();
    }

    /** How a question is asked: with little patience during the sale, until it is decided after it. */
    @FunctionalInterface
    interface Manner {
        void ask(Question question);
    }

    /** Goes on with the plan as far as it gets; what is decided is not asked again. */
    void pursue(Manner manner) {
        switch (plan) {
            case KEEP -> manner.ask(deduction);
            case GIVE_UP -> deduction.askOnceAtMost();
            case RETURN -> {
                if (bought(manner)) {
                    manner.ask(rollback);
                }
            }
            case RETURN_TWICE -> {
                if (bought(manner)) {
                    sendRollback();
                    atOnce(() -> manner.ask(rollback), () -> manner.ask(secondRollback));
                }
            }
            case RETURN_BY_TOPIC -> {
                if (bought(manner)) {
                    sendRollback();
                }
            }
            case RETURN_FIRST -> {
                manner.ask(rollback);
                if (rollback.decision().isPresent()) {
                    manner.ask(deduction);
                }
            }
            case RETURN_AT_ONCE -> atOnce(() -> manner.ask(rollback), () -> manner.ask(deduction));
            case CHANGE_QTY -> {
                if (bought(manner)) {
                    manner.ask(otherQty);
                }
            }
            case NONSENSE -> manner.ask(nonsense);
        }
    }

    /** Once nothing is wrong any more: asks until all is decided, and once more for what it got; fails if that cannot be decided. */
    void end() {
        pursue(Question::askUntilDecided);
        if (sent != null) {
            sent.join();
        }
        if (deduction.decision().filter(Answer::accepted).isPresent()) {
            again.askUntilDecided();
        }
    }

    private boolean bought(Manner manner) {
        manner.ask(deduction);
        return deduction.decision().filter(Answer::accepted).isPresent();
    }

    private void sendRollback() {
        if (sent == null || sent.isCompletedExceptionally()) {
            sent = messages.send(key);
        }
    }

    private static void atOnce(Runnable one, Runnable other) {
        CompletableFuture<Void> first = CompletableFuture.runAsync(one);
        other.run();
        first.join();
    }

    /** Nothing that was asked is open. */
    boolean isOver() {
        return questions()
                        .filter(Question::wasAsked)
                        .allMatch(question -> question.decision().isPresent())
                && (sent == null || (sent.isDone() && !sent.isCompletedExceptionally()))
                && (plan != Plan.RETURN_FIRST || deduction.wasAsked());
    }

    String key() {
        return key;
    }

    int qty() {
        return qty;
    }

    Plan plan() {
        return plan;
    }

    Question deduction() {
        return deduction;
    }

    /** A retry long after the deduction was accepted. */
    Question again() {
        return again;
    }

    Question otherQty() {
        return otherQty;
    }

    Question nonsense() {
        return nonsense;
    }

    List<Question> rollbacks() {
        return List.of(rollback, secondRollback);
    }

    Stream<Question> questions() {
        return Stream.of(deduction, again, rollback, secondRollback, otherQty, nonsense);
    }

    boolean askedForItsReturn() {
        return sent != null || rollback.wasAsked() || secondRollback.wasAsked();
    }

    @Override
    public String toString() {
        return key + " " + plan + " qty " + qty + (sent == null ? "" : ", rollback by topic") + ": "
                + questions().filter(Question::wasAsked).toList();
    }
}
