package io.penstock.campaign;

import static org.awaitility.Awaitility.await;

import io.penstock.campaign.Shop.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Something asked of the service by one key, again and again until it is decided, with every answer it got. One thread at a time asks it. */
final class Question {

    /** An answer, and when it was asked for and came, in nanoseconds of one clock. */
    record Reply(long askedAt, long answeredAt, Answer answer) {}

    /** As long as a question may stay open once nothing is wrong any more. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final String what;
    private final Supplier<Answer> ask;
    private final Predicate<Answer> decides;
    private final List<Reply> replies = new CopyOnWriteArrayList<>();

    /** @param decides whether an answer is the last one needed */
    Question(String what, Supplier<Answer> ask, Predicate<Answer> decides) {
        this.what = what;
        this.ask = ask;
        this.decides = decides;
    }

    /** Asks up to so many times, unless it is decided. If nobody answers at all, once is enough for now. */
    void ask(int tries) {
        boolean answered = true;
        for (int i = 0; i < tries && answered && decision().isEmpty(); i++) {
            answered = askOnce().status() != 0;
        }
    }

    /** Asks, unless it was asked before. */
    void askOnceAtMost() {
        if (replies.isEmpty()) {
            askOnce();
        }
    }

    /** Asks, unless it is decided; fails if nobody can decide it. */
    void askUntilDecided() {
        if (decision().isEmpty()) {
            await(toString())
                    .pollDelay(Duration.ZERO)
                    .pollInterval(PAUSE)
                    .atMost(PATIENCE)
                    .until(() -> decides.test(askOnce()));
        }
    }

    private Answer askOnce() {
        long askedAt = System.nanoTime();
        Answer answer = ask.get();
        replies.add(new Reply(askedAt, System.nanoTime(), answer));
        return answer;
    }

    Optional<Answer> decision() {
        return replies.isEmpty()
                ? Optional.empty()
                : Optional.of(replies.get(replies.size() - 1).answer()).filter(decides);
    }

    boolean wasAsked() {
        return !replies.isEmpty();
    }

    String what() {
        return what;
    }

    Stream<Reply> replies() {
        return replies.stream();
    }

    @Override
    public String toString() {
        return what + " "
                + replies.stream()
                        .map(reply ->
                                reply.answer().status() + " " + reply.answer().body())
                        .toList();
    }
}
