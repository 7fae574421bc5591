package io.penstock.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.penstock.gate.Claim;
import io.penstock.gate.DeductAnswer;
import io.penstock.gate.Inspection;
import io.penstock.gate.LoadedUnits;
import io.penstock.gate.Moved;
import io.penstock.gate.Recounted;
import io.penstock.gate.Remembered;
import io.penstock.gate.RestoreAnswer;
import io.penstock.ledger.AcceptedDeduction;
import io.penstock.ledger.AdjustmentLedger;
import io.penstock.ledger.AdjustmentLedger.Adjustment;
import io.penstock.ledger.CreditDone;
import io.penstock.ledger.Debt;
import io.penstock.ledger.RollbackOrder;
import io.penstock.ledger.RolledBack;
import io.penstock.ledger.RolledBackBatch;
import io.penstock.ledger.Settled;
import io.penstock.ledger.SettledBatch;
import io.penstock.ledger.SkuDefinition;
import io.penstock.ledger.SkuLedger;
import io.penstock.ledger.Snapshot;
import io.penstock.ledger.TransferState;
import io.penstock.platform.ProblemException;
import io.penstock.settlement.DeductMessage;
import io.penstock.stock.BucketId;
import io.penstock.stock.BucketState;
import io.penstock.stock.DeductCode;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Ordering;
import io.penstock.stock.Quantity;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import io.penstock.stock.Strategy;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * One sale of the model on the real parts: a SKU of its own, and for each action the script or transaction that it stands for. What the parts
 * answer must be what the model says.
 *
 * <p>Messages and whatever a process has in hand are held by the test, as the model holds them, so that order and repetition are its choice. A safeguard that is
 * a matter of order, or of who calls what, is taken away here; one that is in a script, by {@link io.penstock.gate.MutatedScripts}.
 */
final class RealSale {

    /** Actions that touch neither Redis nor the ledger: a message that the test holds, or a thought about what was read before. */
    private static final Set<Class<? extends Action>> IN_HAND = Set.of(
            Action.Skip.class,
            Action.Send.class,
            Action.SettleForward.class,
            Action.Reread.class,
            Action.Scan.class,
            Action.Judge.class);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicLong NEXT_SKU = new AtomicLong(System.currentTimeMillis() * 1_000);
    private static final SkuCode CODE = new SkuCode("MODEL");
    private static final Quantity ONE = new Quantity(1);
    private static final DeductKey ADJUSTMENT = new DeductKey("units");

    private final RealParts real;
    private final Protocol protocol;
    private final Sale sale;
    private final SkuId sku = new SkuId(NEXT_SKU.incrementAndGet());
    private final List<BucketId> buckets;
    private final List<Map<String, byte[]>> replicas = new ArrayList<>();
    private final Map<Message, SettledBatch> sold = new HashMap<>();
    private final Map<String, String> told = new HashMap<>();

    /** The model no longer goes along. */
    private boolean late;

    RealSale(RealParts real, Protocol protocol) {
        this.real = real;
        this.protocol = protocol;
        this.sale = protocol.sale();
        this.buckets = IntStream.range(0, sale.buckets())
                .mapToObj(bucket -> new BucketId(sku, CODE, Projection.bucketNo(bucket)))
                .toList();
        open(sale.initial());
    }

    private void open(State initial) {
        await(real.skus.define(new SkuDefinition(
                sku,
                CODE,
                sale.units(),
                buckets.stream().map(BucketId::bucketNo).toList(),
                Strategy.REDIS,
                Ordering.SPLIT)));
        for (int i = 0; i < buckets.size(); i++) {
            BucketId bucket = buckets.get(i);
            Bucket b = initial.bucket(i);
            if (b.closed()) {
                real.servers.closeInLedger(bucket, true);
            }
            long epoch = await(real.skus.raiseEpoch(sku, bucket.bucketNo()));
            await(real.gate.begin(bucket, epoch));
            await(real.gate.finish(bucket, epoch, new LoadedUnits(b.allotment(), 0, 0, b.closed(), Map.of())));
            replicas.add(real.servers.copy(bucket));
        }
    }

    /** Whether every action of the sale has a real part: the service does not move units between buckets yet. */
    static boolean supports(Sale sale) {
        return sale.initial().ledger().parts().stream().noneMatch(part -> part.from() >= 0 && part.to() >= 0);
    }

    Observed look() {
        return real.servers.look(sku, buckets, sale.telling());
    }

    /** The status of each deduct key as it was told last. */
    Map<String, String> told() {
        return told;
    }

    /** Does what the action says, and compares the answer. */
    void perform(State s, Action action) {
        boolean done = IN_HAND.contains(action.getClass())
                || deducts(s, action)
                || settles(s, action)
                || rollsBack(s, action)
                || restores(s, action)
                || loads(s, action)
                || calibrates(s, action)
                || closes(s, action)
                || adjusts(s, action)
                || loses(s, action);
        if (!done) {
            throw new AssertionError("no real part for " + action);
        }
    }

    // --- what the service does by itself ----------------------------------------------------------------------------

    /** Kafka gets the messages that the test holds. */
    void handOver(State s) {
        Message.all(s.messages()).forEach(this::send);
    }

    private void send(Message message) {
        await(real.log.append(
                Ordering.SPLIT,
                buckets.get(message.bucket()),
                message.epoch(),
                new DeductMessage.Deduction(key(message.key()), ONE, null)));
    }

    /**
     * A process that slept does the one step that it had in hand, and dies.
     *
     * @param s what it knew: the answer may be another one by now
     */
    void wakeUp(State s, Action action) {
        late = true;
        if (action instanceof Action.Send sending) {
            send(new Message(sending.key(), sending.bucket(), sending.epoch()));
        } else {
            perform(s, action);
        }
    }

    /** One round of the background jobs; whoever adjusts repeats the key. */
    void backgroundRound() {
        int parts = sale.initial().ledger().parts().size();
        if (parts > 0) {
            await(real.adjusting
                    .adjust(sku, ADJUSTMENT, sale.giving() ? parts : -parts, null)
                    .replaceWithVoid()
                    .onFailure(ProblemException.class)
                    .recoverWithNull());
        }
        await(real.background.round(sku));
    }

    void calibrate(int bucket) {
        await(real.calibration.calibrate(buckets.get(bucket)));
    }

    // --- 扣减 -------------------------------------------------------------------------------------------------------

    private boolean deducts(State s, Action action) {
        if (action instanceof Action.Request request) {
            deduct(s, request.key(), sale.home(request.key()));
        } else if (action instanceof Action.RequestElsewhere request) {
            deduct(s, request.key(), 1 - sale.home(request.key()));
        } else if (action instanceof Action.Ask ask) {
            deduct(s, ask.key(), ask.bucket());
        } else if (action instanceof Action.Point point) {
            BucketId home = buckets.get(sale.home(point.key()));
            await(real.gate.spill(home, key(point.key()), Projection.bucketNo(point.bucket())));
        } else {
            return false;
        }
        return true;
    }

    private void deduct(State s, int key, int bucket) {
        DeductAnswer answer = await(real.gate.deduct(buckets.get(bucket), key(key), ONE));
        agree(protocol.scripts().deduct(s.bucket(bucket), key).code(), code(answer.code()), "deduct");
        if (answer.code() == DeductCode.SPILLED) {
            agree(Projection.bucketNo(s.bucket(bucket).pointer(key)), answer.spilledTo(), "deduct: spilled to");
        }
    }

    private static int code(DeductCode code) {
        return switch (code) {
            case DEDUCTED, DEDUCTED_LAST -> Scripts.DEDUCTED;
            case INSUFFICIENT -> Scripts.INSUFFICIENT;
            case DUPLICATE -> Scripts.DUPLICATE;
            case NOT_LOADED -> Scripts.NOT_LOADED;
            case FINISHED -> Scripts.FINISHED;
            case SPILLED -> Scripts.SPILLED;
            case CLOSED -> Scripts.CLOSED;
            case KEY_REUSED -> throw new AssertionError("every deduction is of one unit");
        };
    }

    // --- 落库 -------------------------------------------------------------------------------------------------------

    private boolean settles(State s, Action action) {
        if (action instanceof Action.Settle settle) {
            settle(s, settle.message(), settle.committed());
        } else if (action instanceof Action.Adopt adopt) {
            await(real.messages.follow(
                    sold.get(adopt.message()), adopt.message().epoch()));
        } else if (action instanceof Action.Consume consume) {
            Message message = s.logs().get(consume.key()).entries().get(consume.entry());
            if (message == null) {
                rollBack(s, consume.key());
            } else {
                settle(s, message, true);
            }
        } else if (action instanceof Action.Tell tell) {
            tell(s, tell.key());
        } else {
            return false;
        }
        return true;
    }

    /** What the settlement does afterwards is done here but for the adoption, which comes when the model says so. */
    private void settle(State s, Message message, boolean committed) {
        AcceptedDeduction accepted =
                new AcceptedDeduction(sku, Projection.bucketNo(message.bucket()), key(message.key()), ONE, null);
        SettledBatch batch = await(real.flows.settle(List.of(accepted)));
        leaveUntold(batch.outcomesId());
        Settled.Verdict verdict = batch.deductions().get(0).verdict();
        agree(verdict(s.ledger(), message), verdict, "settle");
        if (!committed) {
            return;
        }
        if (verdict == Settled.Verdict.DEDUCTED || verdict == Settled.Verdict.REDELIVERED) {
            sold.put(message, batch);
        }
        if (protocol.has(Safeguard.STRAYS_GO_BACK)) {
            await(real.messages.follow(
                    batch, s.ledger().bucket(message.bucket()).epoch()));
        }
    }

    private static Settled.Verdict verdict(Ledger ledger, Message message) {
        Flow flow = ledger.flow(message.key());
        return switch (flow.status()) {
            case NONE ->
                ledger.bucket(message.bucket()).available() > 0 ? Settled.Verdict.DEDUCTED : Settled.Verdict.REJECTED;
            case DEDUCTED ->
                flow.soldAt(message.bucket()) ? Settled.Verdict.REDELIVERED : Settled.Verdict.SOLD_ELSEWHERE;
            case REJECTED, ROLLED_BACK, CANCELLED -> Settled.Verdict.FINISHED;
        };
    }

    private void tell(State s, int key) {
        if (!protocol.has(Safeguard.OUTCOME_IS_OWED)) {
            told.put(Projection.key(key), s.ledger().flow(key).status().name());
            return;
        }
        await(real.outcomes.owedFor(Duration.ZERO, 10_000))
                .forEach(owed -> owed.outcomes().stream()
                        .filter(outcome -> outcome.skuId().equals(sku)
                                && outcome.deductKey().equals(key(key)))
                        .forEach(outcome -> {
                            told.put(
                                    outcome.deductKey().value(),
                                    outcome.status().name());
                            await(real.outcomes.sent(owed.outcomesId()));
                        }));
    }

    /** Without the safeguard nothing is owed: only the process that wrote the flow knows that it must be told. */
    private void leaveUntold(long outcomesId) {
        if (!protocol.has(Safeguard.OUTCOME_IS_OWED)) {
            await(real.outcomes.sent(outcomesId));
        }
    }

    // --- 回滚, 回补 --------------------------------------------------------------------------------------------------

    private boolean rollsBack(State s, Action action) {
        if (action instanceof Action.RollBack order) {
            if (!s.ordered()) {
                rollBack(s, order.key());
            }
        } else if (action instanceof Action.GiveBackFirst first) {
            restore(s, first.key(), first.bucket());
        } else if (action instanceof Action.CancelOrphan orphan) {
            await(real.flows.rollBack(List.of(order(orphan.key())), false));
            restore(s, orphan.key(), orphan.bucket());
        } else if (action instanceof Action.CreditDone credit) {
            await(real.flows.creditsDone(List.of(new CreditDone(sku, key(credit.key()), null, null))));
        } else if (action instanceof Action.Sweep sweep) {
            perform(s, protocol.credit(s.ledger(), sweep.key()));
        } else {
            return false;
        }
        return true;
    }

    private RollbackOrder order(int key) {
        return new RollbackOrder(sku, key(key), "test", null);
    }

    private void rollBack(State s, int key) {
        if (!protocol.has(Safeguard.CANCELLED_ROW) && !s.ledger().flow(key).exists()) {
            return;
        }
        RolledBackBatch batch = await(real.flows.rollBack(List.of(order(key)), true));
        leaveUntold(batch.outcomesId());
        RolledBack.Verdict expected = switch (s.ledger().flow(key).status()) {
            case NONE -> RolledBack.Verdict.CANCELLED;
            case DEDUCTED -> RolledBack.Verdict.ROLLED_BACK;
            case REJECTED, ROLLED_BACK, CANCELLED -> RolledBack.Verdict.FINISHED_BEFORE;
        };
        agree(expected, batch.rollbacks().get(0).verdict(), "rollback");
    }

    private boolean restores(State s, Action action) {
        if (action instanceof Action.Restore restore) {
            restore(s, restore.key(), s.ledger().flow(restore.key()).bucket());
        } else if (action instanceof Action.Repay repay) {
            int bucket = s.ledger().flow(repay.key()).bucket();
            RestoreAnswer answer = await(real.gate.repay(buckets.get(bucket), key(repay.key()), ONE));
            agree(protocol.scripts().repay(s.bucket(bucket), repay.key()).code(), code(answer), "repay");
        } else if (action instanceof Action.Entomb entomb) {
            BucketId bucket = buckets.get(entomb.bucket());
            RestoreAnswer answer =
                    await(real.gate.entomb(bucket, key(entomb.key()))).answer();
            agree(s.bucket(entomb.bucket()).loaded(), answer != RestoreAnswer.NOT_LOADED, "entomb: loaded");
        } else if (action instanceof Action.RestoreStray stray) {
            restoreStray(s, stray.key(), stray.bucket());
        } else if (action instanceof Action.StrayDone stray) {
            await(real.debts.of(sku, key(stray.key()))).stream()
                    .filter(debt ->
                            debt.kind() == Debt.Kind.STRAY && debt.bucketNo() == Projection.bucketNo(stray.bucket()))
                    .forEach(debt -> await(real.debts.given(debt)));
        } else {
            return false;
        }
        return true;
    }

    private void restore(State s, int key, int bucket) {
        RestoreAnswer answer =
                await(real.gate.restore(buckets.get(bucket), List.of(key(key)))).get(0);
        agree(protocol.scripts().restore(s.bucket(bucket), key).code(), code(answer), "restore");
    }

    private void restoreStray(State s, int key, int bucket) {
        Flow flow = s.ledger().flow(key);
        if (flow.status() != Flow.Status.DEDUCTED) {
            restore(s, key, bucket);
            return;
        }
        RestoreAnswer answer =
                await(real.gate.restoreStray(buckets.get(bucket), key(key), Projection.bucketNo(flow.bucket())));
        int expected = protocol.scripts()
                .restoreStray(s.bucket(bucket), key, flow.bucket())
                .code();
        agree(expected, code(answer), "restore of a stray");
    }

    private static int code(RestoreAnswer answer) {
        return switch (answer) {
            case RESTORED -> 1;
            case RESTORED_BEFORE -> 0;
            case UNKNOWN -> -1;
            case NOT_LOADED -> -2;
        };
    }

    // --- 预热 --------------------------------------------------------------------------------------------------------

    private boolean loads(State s, Action action) {
        if (action instanceof Action.RaiseEpoch raise) {
            long epoch = await(real.skus.raiseEpoch(sku, Projection.bucketNo(raise.bucket())));
            agree((long) s.ledger().bucket(raise.bucket()).epoch() + 1, epoch, "raised epoch");
        } else if (action instanceof Action.Begin begin) {
            Claim claim = await(real.gate.begin(buckets.get(begin.bucket()), begin.epoch()));
            agree(claim(protocol.scripts().begin(s.bucket(begin.bucket()), begin.epoch())), claim, "begin");
        } else if (action instanceof Action.ReadLedger read) {
            readLedger(s, read.bucket());
        } else if (action instanceof Action.Finish load) {
            agree(claim(protocol.scripts().finish(s.bucket(load.bucket()), load)), finish(load), "finish");
        } else if (action instanceof Action.Remove remove) {
            // Every entry is of one unit, so the book's deducted is its count.
            await(real.gate.remove(
                    buckets.get(remove.bucket()),
                    inspection(remove.seen()),
                    keys(remove.orphans()).stream().map(DeductKey::value).toList()));
        } else {
            return false;
        }
        return true;
    }

    private static Claim claim(Scripts.Answer answer) {
        return answer.code() == 1 ? Claim.TAKEN : Claim.REFUSED;
    }

    private void readLedger(State s, int bucket) {
        int bucketNo = Projection.bucketNo(bucket);
        Ledger ledger = s.ledger();
        LedgerBucket row = ledger.bucket(bucket);
        Snapshot.Units units = units(bucket);
        agree(
                List.of((long) row.allotted(), (long) row.epoch(), row.closed()),
                List.of(units.allotted(), units.epoch(), units.state() == BucketState.OFFLINE),
                "the ledger's bucket");
        agree(transfers(ledger.included(bucket)), units.transfers(), "the ledger's open transfers");
        agree(
                Set.copyOf(keys(ledger.sold(bucket))),
                await(real.skus.snapshot(sku, bucketNo, snapshot -> snapshot.sold(null, 100)))
                        .keySet(),
                "the ledger's sold flows");
        agree(
                Set.copyOf(keys(ledger.finished(bucket))),
                Set.copyOf(await(real.skus.snapshot(
                        sku, bucketNo, snapshot -> snapshot.finished(Duration.ofDays(3_650), null, 100)))),
                "the ledger's finished flows");
    }

    private Snapshot.Units units(int bucket) {
        return await(real.skus.snapshot(sku, Projection.bucketNo(bucket), Snapshot::units));
    }

    private Claim finish(Action.Finish load) {
        BucketId bucket = buckets.get(load.bucket());
        if (load.finished() != 0) {
            await(real.gate.stageFinished(bucket, load.epoch(), keys(load.finished())));
        }
        if (load.sold() != 0) {
            Map<DeductKey, Quantity> entries = new LinkedHashMap<>();
            keys(load.sold()).forEach(key -> entries.put(key, ONE));
            await(real.gate.stage(bucket, load.epoch(), entries));
        }
        int count = Integer.bitCount(load.sold());
        return await(real.gate.finish(
                bucket,
                load.epoch(),
                new LoadedUnits(load.allotted(), count, count, load.closed(), transfers(load.moves()))));
    }

    /** What a book records of transfers, as the gate is told of it. */
    private Map<String, Long> transfers(int moves) {
        Map<String, Long> transfers = new HashMap<>();
        List<Part> parts = sale.initial().ledger().parts();
        for (int i = 0; i < parts.size(); i++) {
            long there = new Move(i, false).recorded(moves);
            long back = new Move(i, true).recorded(moves);
            String id = Projection.transferId(parts.get(i));
            if (there >= 0) {
                transfers.put(id, parts.get(i).to() >= 0 ? there : -there);
            }
            if (back >= 0) {
                transfers.put(id + "/back", back);
            }
        }
        return transfers;
    }

    // --- 回源校准 ----------------------------------------------------------------------------------------------------

    private boolean calibrates(State s, Action action) {
        if (action instanceof Action.Calibrate calibrate) {
            agree(
                    Set.copyOf(keys(s.ledger().sold(calibrate.bucket()))),
                    await(real.skus.snapshot(
                                    sku, Projection.bucketNo(calibrate.bucket()), snapshot -> snapshot.sold(null, 100)))
                            .keySet(),
                    "the ledger's sold flows");
        } else if (action instanceof Action.AdoptSold adopt) {
            keys(adopt.sold()).forEach(key -> await(real.gate.adopt(buckets.get(adopt.bucket()), key, ONE)));
        } else if (action instanceof Action.Inspect inspect) {
            Bucket b = s.bucket(inspect.bucket());
            Inspection seen = await(real.gate.inspect(buckets.get(inspect.bucket())));
            agree(b.loaded(), seen.loaded(), "inspect: loaded");
            if (b.loaded()) {
                agree(inspection(Seen.of(b)), at(seen, 0), "inspect");
            }
        } else if (action instanceof Action.ReadAllotment read) {
            SkuLedger.Allotment allotment = await(real.skus.allotment(sku, Projection.bucketNo(read.bucket())));
            agree((long) s.ledger().bucket(read.bucket()).allotted(), allotment.allotted(), "allotment");
            agree(s.ledger().openTransferOf(read.bucket()), allotment.openTransfers() > 0, "open transfers");
        } else if (action instanceof Action.Recount recount) {
            recount(s.bucket(recount.bucket()), recount);
        } else {
            return false;
        }
        return true;
    }

    private void recount(Bucket b, Action.Recount recount) {
        Recounted recounted = await(
                real.gate.recount(buckets.get(recount.bucket()), inspection(recount.seen()), recount.allotment()));
        if (protocol.has(Safeguard.RECOUNT_ONLY_UNMOVED)) {
            boolean unmoved = b.loaded() && Seen.of(b).equals(recount.seen());
            agree(unmoved, recounted instanceof Recounted.Corrected, "recount");
        }
    }

    /** Every entry is of one unit. */
    private static Inspection inspection(Seen seen) {
        return new Inspection(
                true,
                seen.stock(),
                seen.allotment(),
                seen.count(),
                seen.count(),
                seen.entries(),
                seen.epoch(),
                false,
                0);
    }

    private static Inspection at(Inspection seen, long millis) {
        return new Inspection(
                seen.loaded(),
                seen.stock(),
                seen.allotment(),
                seen.deducted(),
                seen.count(),
                seen.entries(),
                seen.epoch(),
                false,
                millis);
    }

    // --- closing ----------------------------------------------------------------------------------------------------

    private boolean closes(State s, Action action) {
        if (action instanceof Action.Toggle toggle) {
            boolean close = !s.ledger().bucket(toggle.bucket()).closed();
            if (protocol.has(Safeguard.CLOSE_THE_LEDGER_FIRST)) {
                real.servers.closeInLedger(buckets.get(toggle.bucket()), close);
            } else {
                close(toggle.bucket(), close);
            }
        } else if (action instanceof Action.CloseLedger ledger) {
            real.servers.closeInLedger(buckets.get(ledger.bucket()), ledger.closed());
        } else if (action instanceof Action.SetClosed set) {
            close(set.bucket(), set.closed());
        } else if (action instanceof Action.MatchState match) {
            boolean closed = units(match.bucket()).state() == BucketState.OFFLINE;
            agree(s.ledger().bucket(match.bucket()).closed(), closed, "closed in the ledger");
        } else {
            return false;
        }
        return true;
    }

    private void close(int bucket, boolean close) {
        await(close ? real.gate.close(buckets.get(bucket)) : real.gate.open(buckets.get(bucket)));
    }

    // --- 库存调整 ----------------------------------------------------------------------------------------------------

    private boolean adjusts(State s, Action action) {
        List<Part> parts = s.ledger().parts();
        if (action instanceof Action.Give) {
            await(real.adjustments.give(sku, ADJUSTMENT, 1, null));
        } else if (action instanceof Action.DepositFirst first) {
            Part part = parts.get(first.part());
            await(real.gate.deposit(
                    buckets.get(part.to()),
                    Projection.transferId(part),
                    1,
                    s.bucket(part.to()).epoch()));
        } else if (action instanceof Action.StartPart start) {
            startPart(parts, start.part());
        } else if (action instanceof Action.Withdraw withdraw) {
            withdraw(s, withdraw.part());
        } else if (action instanceof Action.Take take) {
            take(parts, take.units(), protocol.has(Safeguard.MOVE_IN_ITS_EPOCH) ? take.epochs() : epochs(s));
        } else if (action instanceof Action.TakeFirst) {
            List<Integer> units = parts.stream()
                    .map(part -> Math.min(1, s.ledger().bucket(part.from()).available()))
                    .toList();
            take(parts, units, epochs(s));
        } else if (action instanceof Action.BeginDeposit begin) {
            int bucket = parts.get(begin.part()).owedTo();
            agree(
                    (long) s.bucket(bucket).epoch(),
                    await(real.gate.inspect(buckets.get(bucket))).epoch(),
                    "epoch to deposit in");
        } else if (action instanceof Action.Deposit deposit) {
            deposit(s, deposit);
        } else if (action instanceof Action.PartDone done) {
            await(real.adjustments.partsDone(sku, ADJUSTMENT, List.of(Projection.transferId(parts.get(done.part())))));
        } else {
            return false;
        }
        return true;
    }

    private void startPart(List<Part> parts, int start) {
        Part part = parts.get(start);
        BucketId bucket = buckets.get(part.from());
        await(real.adjustments.beginTaking(sku, ADJUSTMENT, -parts.size(), null));
        long epoch = await(real.gate.inspect(bucket)).epoch();
        await(real.adjustments.startPart(sku, ADJUSTMENT, bucket.bucketNo(), 1, epoch));
    }

    private void withdraw(State s, int withdraw) {
        Part part = s.ledger().parts().get(withdraw);
        if (part.step() != Part.Step.STARTED) {
            return;
        }
        Scripts.Answer expected =
                protocol.scripts().withdraw(s.bucket(part.from()), new Move(withdraw, false), part.epoch());
        Moved moved = await(real.gate.withdraw(buckets.get(part.from()), Projection.transferId(part), 1, part.epoch()));
        agree(expected.code(), code(moved), "withdraw");
    }

    private void deposit(State s, Action.Deposit deposit) {
        Part part = s.ledger().parts().get(deposit.part());
        int bucket = deposit.back() ? part.from() : part.to();
        String id = Projection.transferId(part) + (deposit.back() ? "/back" : "");
        Scripts.Answer expected = protocol.scripts()
                .deposit(s.bucket(bucket), new Move(deposit.part(), deposit.back()), part.units(), deposit.epoch());
        Moved moved = await(real.gate.deposit(buckets.get(bucket), id, part.units(), deposit.epoch()));
        agree(expected.code(), code(moved), "deposit");
    }

    private static int code(Moved moved) {
        return moved instanceof Moved.Units units ? (int) units.units() : -3;
    }

    private static List<Integer> epochs(State s) {
        return s.ledger().parts().stream()
                .map(part -> s.ledger().bucket(part.from()).epoch())
                .toList();
    }

    /** Without the safeguard what was withdrawn in vain is called done, and not deposited again. */
    private void take(List<Part> parts, List<Integer> units, List<Integer> epochs) {
        List<AdjustmentLedger.Part> withdrawn = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            withdrawn.add(new AdjustmentLedger.Part(
                    Projection.transferId(parts.get(i)),
                    Projection.bucketNo(parts.get(i).from()),
                    units.get(i),
                    epochs.get(i),
                    TransferState.STARTED));
        }
        Adjustment taken = await(real.adjustments.take(sku, ADJUSTMENT, withdrawn));
        if (!protocol.has(Safeguard.TOO_FEW_GO_BACK) || !protocol.has(Safeguard.TAKE_FROM_THE_GATE_FIRST)) {
            List<String> back = taken.parts().stream()
                    .filter(part -> part.state() == TransferState.BACK)
                    .map(AdjustmentLedger.Part::transferId)
                    .toList();
            await(real.adjustments.partsDone(sku, ADJUSTMENT, back));
        }
    }

    // --- faults -----------------------------------------------------------------------------------------------------

    private boolean loses(State s, Action action) {
        if (action instanceof Action.Trim trim) {
            BucketId bucket = buckets.get(trim.bucket());
            List<String> keys = List.of(Projection.key(trim.key()));
            agree(1, await(real.gate.forget(bucket, Remembered.TOMBSTONE, Duration.ZERO, keys)), "forget");
        } else if (action instanceof Action.Replicate replicate) {
            replicas.set(replicate.bucket(), real.servers.copy(buckets.get(replicate.bucket())));
        } else if (action instanceof Action.FailOver over) {
            real.servers.become(buckets.get(over.bucket()), replicas.get(over.bucket()));
        } else if (action instanceof Action.Wipe wipe) {
            real.servers.wipe(buckets.get(wipe.bucket()));
        } else if (action instanceof Action.LoseStock lose) {
            real.servers.loseStock(buckets.get(lose.bucket()));
        } else if (action instanceof Action.LoseEntry lose) {
            real.servers.loseEntry(buckets.get(lose.bucket()), Projection.key(lose.key()));
        } else if (action instanceof Action.Forge forge) {
            real.servers.forge(buckets.get(forge.bucket()), Projection.key(forge.key()));
        } else {
            return false;
        }
        return true;
    }

    private static DeductKey key(int key) {
        return new DeductKey(Projection.key(key));
    }

    private List<DeductKey> keys(int bits) {
        return IntStream.range(0, sale.keys())
                .filter(key -> (bits & Bucket.bit(key)) != 0)
                .mapToObj(RealSale::key)
                .toList();
    }

    private void agree(Object model, Object actual, String what) {
        if (!late) {
            assertEquals(model, actual, what + ": the model and the real parts answer differently");
        }
    }

    private static <T> T await(Uni<T> uni) {
        return uni.await().atMost(PATIENCE);
    }
}
