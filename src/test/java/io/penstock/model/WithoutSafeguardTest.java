package io.penstock.model;

import static io.penstock.model.Safeguard.ADOPT_ENDS_A_CLAIM;
import static io.penstock.model.Safeguard.DEDUCT_IS_IDEMPOTENT;
import static io.penstock.model.Safeguard.LOADED_BUCKET_TAKES_ON_THE_EPOCH;
import static io.penstock.model.Safeguard.LOAD_FINISHES_ITS_CLAIM;
import static io.penstock.model.Safeguard.LOAD_KNOWS_OPEN_MOVES;
import static io.penstock.model.Safeguard.MOVE_IN_ITS_EPOCH;
import static io.penstock.model.Safeguard.MOVE_ONCE;
import static io.penstock.model.Safeguard.ORPHANS_FIT_EXACTLY;
import static io.penstock.model.Safeguard.ORPHANS_REMOVED_ONLY_UNMOVED;
import static io.penstock.model.Safeguard.RECOUNT_NOT_WHILE_MOVING;
import static io.penstock.model.Safeguard.RECOUNT_ONLY_UNMOVED;
import static io.penstock.model.Safeguard.REPAY_ONLY_WHAT_IS_MISSING;
import static io.penstock.model.Safeguard.STRAY_LEAVES_A_POINTER;
import static io.penstock.model.Safeguard.TOMBSTONES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.penstock.gate.MutatedScripts;
import io.penstock.gate.MutatedScripts.Mutation;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The checks can fail: without a safeguard, the shortest way that the model finds to break a promise breaks it on the real parts too, and with it the same way
 * breaks nothing.
 *
 * <p>A safeguard that lives in a script is cut out of the script's text. The others are a matter of who calls what, and when: {@link RealSale} does
 * it wrong, as the trace says.
 */
@QuarkusTest
@TestProfile(WithoutSchedules.class)
class WithoutSafeguardTest {

    /** The smallest sale of these merges buckets, which the service does not do yet; an adjustment shows the same. */
    private static final Map<Safeguard, Sale> BY_ADJUSTMENT = Map.of(
            LOADED_BUCKET_TAKES_ON_THE_EPOCH, Sale.TAKING_WITH_TWO_LOADERS,
            RECOUNT_NOT_WHILE_MOVING, Sale.CALIBRATION_WHILE_TAKING,
            MOVE_ONCE, Sale.GIVING,
            MOVE_IN_ITS_EPOCH, Sale.TAKING_WIPED,
            LOAD_KNOWS_OPEN_MOVES, Sale.GIVING_WIPED);

    private static final String BURY = "redis.call('ZADD', KEYS[3], now(), key)";
    private static final String OTHER_EPOCH = "if not bucket or bucket.epoch ~= epoch then";

    private static final Map<Safeguard, List<Mutation>> IN_SCRIPTS = Map.ofEntries(
            Map.entry(
                    TOMBSTONES,
                    List.of(
                            new Mutation("restore", "redis.call('ZADD', KEYS[3], unpack(left_behind))", ""),
                            new Mutation("repay", BURY, ""),
                            new Mutation("entomb", BURY, ""))),
            Map.entry(DEDUCT_IS_IDEMPOTENT, List.of(new Mutation("deduct", "elseif before then", "elseif false then"))),
            Map.entry(
                    STRAY_LEAVES_A_POINTER,
                    List.of(new Mutation("restore", "ARGV[1] ~= '' and bucket_no(ARGV[1])", "false"))),
            Map.entry(
                    REPAY_ONLY_WHAT_IS_MISSING,
                    List.of(new Mutation("repay", "elseif missing > 0 and qty <= bucket.deducted then", "else"))),
            Map.entry(
                    LOAD_FINISHES_ITS_CLAIM,
                    List.of(
                            new Mutation("stage_finished", """
                                    if not claimed or whole(claimed, 'the claimed epoch') ~= epoch then
                                      return 0
                                    end
                                    """, ""),
                            new Mutation("stage", """
                                    if not claim[1] or whole(claim[1], 'the claimed epoch') ~= epoch then
                                      return 0
                                    end
                                    local sum = whole(claim[2], 'the staged sum')
                                    """, """
                                    local sum = whole(claim[2] or '0', 'the staged sum')
                                    """),
                            new Mutation("finish", """
                                     or not claim[1] or whole(claim[1], 'the claimed epoch') ~= epoch
                                      or entries ~= count or whole(claim[2], 'the staged sum') ~= deducted then
                                    """, """
                                     or entries ~= count then
                                    """))),
            Map.entry(
                    LOADED_BUCKET_TAKES_ON_THE_EPOCH,
                    List.of(new Mutation("begin", "if bucket.epoch < epoch then", "if false then"))),
            Map.entry(ADOPT_ENDS_A_CLAIM, List.of(new Mutation("adopt", "redis.call('UNLINK', KEYS[5])", ""))),
            Map.entry(
                    MOVE_ONCE,
                    List.of(
                            new Mutation("withdraw", "if record then", "if false then"),
                            new Mutation("deposit", "if record then", "if false then"))),
            Map.entry(
                    MOVE_IN_ITS_EPOCH,
                    List.of(
                            new Mutation("withdraw", OTHER_EPOCH, "if not bucket then"),
                            new Mutation("deposit", OTHER_EPOCH, "if not bucket then"))),
            Map.entry(
                    RECOUNT_ONLY_UNMOVED,
                    List.of(
                            new Mutation("recount", """
                                     or bucket.epoch ~= epoch or bucket.stock ~= stock or bucket.allotment ~= allotment
                                      or bucket.deducted ~= deducted or bucket.count ~= count or length ~= entries then
                                    """, """
                                     then
                                    """),
                            new Mutation(
                                    "recount",
                                    "local change = ledger_allotment - sum - stock",
                                    "sum, length = entries, entries\n"
                                            + "local change = ledger_allotment - sum - bucket.stock"))),
            Map.entry(
                    ORPHANS_FIT_EXACTLY,
                    List.of(new Mutation(
                            "remove", "(rest == count and sum == deducted) and all or impossible", "all"))),
            Map.entry(
                    ORPHANS_REMOVED_ONLY_UNMOVED,
                    List.of(
                            new Mutation("remove", """
                                     or bucket.epoch ~= epoch or bucket.deducted ~= deducted or bucket.count ~= count or length ~= entries then
                                    """, """
                                     then
                                    """),
                            // It looks at the history itself too, which asks the same once more.
                            new Mutation(
                                    "remove", "(rest == count and sum == deducted) and all or impossible", "all"))));

    @Inject
    RealParts parts;

    @ParameterizedTest
    @EnumSource
    void theRealPartsBreakAsTheModelDoesWithout(Safeguard safeguard) {
        Sale sale = BY_ADJUSTMENT.getOrDefault(safeguard, safeguard.sale());
        Checker.Violation violation =
                new Checker(new Protocol(sale, safeguard)).walk(s -> {}).violation();
        assertNotNull(violation, safeguard.why());

        List<String> broken;
        try (MutatedScripts cut = new MutatedScripts(IN_SCRIPTS.getOrDefault(safeguard, List.of()))) {
            broken = broken(new RealRun(parts, new Protocol(sale, safeguard)), violation.trace());
        }
        assertFalse(broken.isEmpty(), () -> "nothing breaks on the real parts after " + violation);

        assertEquals(
                List.of(),
                broken(new RealRun(parts, new Protocol(sale, null)), violation.trace()),
                () -> "the whole protocol breaks after " + violation);
    }

    /** As far as the trace is possible; what is broken first, or at rest. */
    private static List<String> broken(RealRun run, List<Action> trace) {
        try {
            for (Action action : trace) {
                if (run.enabled().contains(action)) {
                    List<String> broken = run.step(action);
                    if (!broken.isEmpty()) {
                        return broken;
                    }
                }
            }
            return run.comeToRest();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(e.getMessage() + run.story(), e);
        }
    }
}
