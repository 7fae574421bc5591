package io.penstock.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The real scripts and transactions do what the model says: random walks through the sales, step by step on both. And what such a walk leaves when every process dies, or
 * sleeps and wakes up late, is brought to rest by the service's own background work.
 *
 * <p>{@code -Dpenstock.model.seed=N} walks that seed again, {@code -Pcampaign} walks more.
 */
@QuarkusTest
@TestProfile(WithoutSchedules.class)
class WalkTest {

    /** More than most sales take. */
    private static final int STEPS = 60;

    /** About the middle of a sale, where most is left undone. */
    private static final int MOST_STEPS_BEFORE_THE_SERVICE = 30;

    /** Of so many steps one may be anything that is possible, also what should change nothing. */
    private static final int ANYTHING = 6;

    private static final int WALKS = 2;
    private static final int WALKS_IN_A_CAMPAIGN = 30;

    @Inject
    RealParts parts;

    static Stream<Sale> sales() {
        return Arrays.stream(Sale.values()).filter(RealSale::supports);
    }

    @ParameterizedTest
    @MethodSource("sales")
    void theRealPartsDoWhatTheModelSaysIn(Sale sale) {
        seeds().forEach(seed -> walk(sale, seed, random -> STEPS, RealRun::comeToRest));
    }

    @ParameterizedTest
    @MethodSource("sales")
    void theServiceBringsToRestWhatIsLeftOf(Sale sale) {
        seeds().forEach(seed ->
                walk(sale, seed, random -> random.nextInt(MOST_STEPS_BEFORE_THE_SERVICE), RealRun::leaveToTheService));
    }

    private static LongStream seeds() {
        Long given = Long.getLong("penstock.model.seed");
        if (given != null) {
            return LongStream.of(given);
        }
        int walks = Boolean.getBoolean("penstock.campaign") ? WALKS_IN_A_CAMPAIGN : WALKS;
        long unseen = System.nanoTime();
        return LongStream.concat(LongStream.of(1), LongStream.range(unseen, unseen + walks));
    }

    private void walk(Sale sale, long seed, ToIntFunction<Random> steps, Function<RealRun, List<String>> toRest) {
        RealRun run = new RealRun(parts, new Protocol(sale, null));
        try {
            Random random = new Random(seed);
            int most = steps.applyAsInt(random);
            for (int step = 0; step < most; step++) {
                List<Action> possible = run.enabled();
                List<Action> changing = possible.stream().filter(run::changes).toList();
                if (changing.isEmpty()) {
                    break;
                }
                List<Action> choice = random.nextInt(ANYTHING) == 0 ? possible : changing;
                assertEquals(List.of(), run.step(choice.get(random.nextInt(choice.size()))));
            }
            assertEquals(List.of(), toRest.apply(run));
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(sale + ", -Dpenstock.model.seed=" + seed + ": " + e.getMessage() + run.story(), e);
        }
    }
}
