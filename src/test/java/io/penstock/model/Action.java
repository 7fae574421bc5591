package io.penstock.model;

import static io.penstock.model.Bucket.bit;

import io.penstock.model.Flow.Credit;
import io.penstock.model.Flow.Status;
import io.penstock.model.Part.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * Something that happens at one instant: a script, a transaction, a message, a fault. Often the process that did it is about to do
 * the next step; that one is then {@link State#pending}, and comes later. If the process dies it never comes: dying needs no action of its own.
 *
 * <p>Its text is what a trace shows.
 */
sealed interface Action {

    /** What it makes of the state; the action itself is no longer pending there. */
    State happen(State s, Protocol protocol);

    // --- 扣减 -------------------------------------------------------------------------------------------------------

    /** A client asks for a deduction, for the first time or again; its home is asked at once. */
    record Request(int key) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            State t = s.with(s.budget().request(key));
            return new Ask(key, protocol.sale().home(key), protocol.remembered(s, key), false).happen(t, protocol);
        }
    }

    /** Without {@link Safeguard#HOME_IS_ASKED}: the walk begins elsewhere. */
    record RequestElsewhere(int key) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            State t = s.with(s.budget().request(key));
            return new Ask(key, 1 - protocol.sale().home(key), protocol.remembered(s, key), false).happen(t, protocol);
        }
    }

    /**
     * {@code deduct} on one bucket of the walk.
     *
     * @param repeat the key was accepted before this request began
     * @param followed a spill pointer led here
     */
    record Ask(int key, int bucket, boolean repeat, boolean followed) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Scripts.Answer answer = protocol.scripts().deduct(s.bucket(bucket), key);
            State t = s.with(bucket, answer.bucket());
            return switch (answer.code()) {
                case Scripts.DEDUCTED ->
                    accept(repeat && s.clients().keeps(key) ? t.with(t.clients().lied(key)) : t, protocol);
                case Scripts.DUPLICATE -> accept(t, protocol);
                case Scripts.INSUFFICIENT, Scripts.CLOSED -> refused(t, protocol);
                case Scripts.SPILLED -> t.then(new Ask(key, s.bucket(bucket).pointer(key), repeat, true));
                case Scripts.FINISHED, Scripts.NOT_LOADED -> t;
                default -> throw new IllegalStateException("deduct answered " + answer.code());
            };
        }

        private State accept(State t, Protocol protocol) {
            boolean away = bucket != protocol.sale().home(key);
            return away && protocol.has(Safeguard.POINTER_BEFORE_KAFKA)
                    ? t.then(new Point(key, bucket, t.bucket(bucket).epoch()))
                    : accepted(t, key, bucket, t.bucket(bucket).epoch(), protocol);
        }

        private State refused(State t, Protocol protocol) {
            boolean home = bucket == protocol.sale().home(key);
            return home && protocol.sale().buckets() > 1 && !followed
                    ? t.then(new Ask(key, 1 - bucket, repeat, false))
                    : answered(t, key, repeat);
        }

        static State accepted(State t, int key, int bucket, int epoch, Protocol protocol) {
            State sending = t.then(new Send(key, bucket, epoch));
            return protocol.has(Safeguard.ANSWER_AFTER_KAFKA)
                    ? sending
                    : sending.with(sending.clients().accepted(key));
        }

        static State answered(State t, int key, boolean repeat) {
            return repeat && t.clients().keeps(key) ? t.with(t.clients().lied(key)) : t;
        }
    }

    /** The walk leaves out a bucket that this instance believes to be empty; what it believes may be old. */
    record Skip(Ask ask) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return Ask.answered(s.without(ask), ask.key(), ask.repeat());
        }
    }

    /** The spill pointer, written at home. */
    record Point(int key, int bucket, int epoch) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            int home = protocol.sale().home(key);
            return Ask.accepted(s.with(home, s.bucket(home).withPointer(key, bucket)), key, bucket, epoch, protocol);
        }
    }

    /** To Kafka; then the client is answered. An answer that does not arrive promises less, and need not be walked. */
    record Send(int key, int bucket, int epoch) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            State t = append(s, new Message(key, bucket, epoch));
            Clients clients = t.clients().accepted(key);
            // Sent after a load began: its unit may be on sale again until this settles.
            boolean late = epoch < s.ledger().bucket(bucket).epoch();
            return t.with(late ? clients.lost(1) : clients);
        }

        static State append(State s, Message message) {
            int key = message.key();
            return s.ordered()
                    ? s.withLog(key, s.logs().get(key).append(message))
                    : s.withMessages(s.messages() | message.bit());
        }
    }

    // --- 落库 -------------------------------------------------------------------------------------------------------

    /** @param committed whether the offset is committed too: if not, the message comes again */
    record Settle(Message message, boolean committed) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Flow known = s.ledger().flow(message.key());
            State t = s.with(s.ledger().settle(message));
            t = known.exists() ? t : protocol.changed(t, message.key());
            if (!committed) {
                return t;
            }
            boolean sold = t.ledger().flow(message.key()).soldAt(message.bucket());
            if (sold
                    && message.epoch() < t.ledger().bucket(message.bucket()).epoch()
                    && protocol.has(Safeguard.OLD_EPOCH_IS_ADOPTED)) {
                return t.then(new Adopt(message));
            }
            return t.with(stray(t, known, protocol)).withMessages(t.messages() & ~message.bit());
        }

        private Ledger stray(State t, Flow known, Protocol protocol) {
            boolean stray = known.exists()
                    && !known.soldAt(message.bucket())
                    && !(known.status() == Status.REJECTED && known.bucket() == message.bucket());
            return stray && protocol.has(Safeguard.STRAYS_GO_BACK)
                    ? t.ledger().oweStray(message.key(), message.bucket())
                    : t.ledger();
        }
    }

    /** A message of an older epoch: a load may have missed it, or be about to. The offset is committed afterwards. */
    record Adopt(Message message) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(message.bucket(), protocol.scripts().adopt(s.bucket(message.bucket()), message.key()))
                    .withMessages(s.messages() & ~message.bit());
        }
    }

    /** ORDERED: the next entry of a key's log. */
    record Consume(int key, int entry) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Log log = s.logs().get(key);
            Message message = log.entries().get(entry);
            State t = s.withLog(key, log.at(entry + 1));
            return message == null
                    ? RollBack.inLedger(t, key, protocol)
                    : new Settle(message, true).happen(t, protocol);
        }
    }

    /** ORDERED: the consumer died before it committed; it reads from an earlier entry. */
    record Reread(int key, int from) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.withLog(key, s.logs().get(key).at(from)).with(s.budget().reread());
        }
    }

    /** The outcome of a flow, to Kafka. */
    record Tell(int key) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.ledger().told(key)).with(s.clients().told(key, true));
        }
    }

    // --- 回滚, 回补 --------------------------------------------------------------------------------------------------

    /** A client, a consumer or an operator asks for a rollback: the ledger's transaction. ORDERED: it is sent first. */
    record RollBack(int key) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            State t = s.with(s.budget().rollbacks(key) ? s.budget().rollback(key) : s.budget())
                    .with(s.clients().cancelled(key));
            return s.ordered() ? t.withLog(key, t.logs().get(key).append(null)) : inLedger(t, key, protocol);
        }

        static State inLedger(State s, int key, Protocol protocol) {
            Ledger after = s.ledger().rollBack(key, protocol.has(Safeguard.CANCELLED_ROW), Credit.OWED);
            boolean changed = after != s.ledger();
            Flow flow = after.flow(key);
            State t = changed ? protocol.changed(s.with(after), key) : s;
            return flow.owes() ? t.then(protocol.credit(after, key)) : t;
        }
    }

    /** Without {@link Safeguard#LEDGER_FIRST}: Redis before the ledger. */
    record GiveBackFirst(int key, int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.budget().rollback(key))
                    .with(
                            bucket,
                            protocol.scripts().restore(s.bucket(bucket), key).bucket())
                    .then(new RollBack(key));
        }
    }

    /** {@code restore} on the flow's bucket. */
    record Restore(int key) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            int bucket = s.ledger().flow(key).bucket();
            Scripts.Answer answer = protocol.scripts().restore(s.bucket(bucket), key);
            State t = s.with(bucket, answer.bucket());
            return switch (answer.code()) {
                case 1, 0 -> t.then(new CreditDone(key));
                case -1 -> t.then(new Repay(key));
                case -2 -> t;
                default -> throw new IllegalStateException("restore answered " + answer.code());
            };
        }
    }

    /** {@code restore} did not know the key. */
    record Repay(int key) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            int bucket = s.ledger().flow(key).bucket();
            Scripts.Answer answer = protocol.scripts().repay(s.bucket(bucket), key);
            State t = s.with(bucket, answer.bucket());
            return answer.code() == -2 ? t : t.then(new CreditDone(key));
        }
    }

    /** A CANCELLED flow's tombstones, bucket by bucket. */
    record Entomb(int key, int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Scripts.Answer answer = protocol.scripts().entomb(s.bucket(bucket), key);
            if (answer.code() == -2) {
                return s;
            }
            State t = s.with(bucket, answer.bucket());
            return t.then(bucket + 1 < protocol.sale().buckets() ? new Entomb(key, bucket + 1) : new CreditDone(key));
        }
    }

    /** The credit is DONE, and whoever asked hears it. */
    record CreditDone(int key) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            State t = s.with(s.ledger().creditDone(key));
            return s.clients().isCancelled(key) ? t.with(t.clients().returned(key)) : t;
        }
    }

    /** The sweeper finds a credit that is owed and begins to give it, whoever else is at it. */
    record Sweep(int key) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Action first = protocol.credit(s.ledger(), key);
            return s.pending().contains(first) ? first.happen(s, protocol) : protocol.next(s, first);
        }
    }

    /** A stray's entry goes back: the flow says whether the key is finished or sold elsewhere. */
    record RestoreStray(int key, int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Flow flow = s.ledger().flow(key);
            Bucket b = s.bucket(bucket);
            Bucket restored = flow.status() == Status.DEDUCTED
                    ? protocol.scripts().restoreStray(b, key, flow.bucket()).bucket()
                    : protocol.scripts().restore(b, key).bucket();
            State t = s.with(bucket, restored);
            return s.ledger().owesStray(key, bucket) ? t.then(new StrayDone(key, bucket)) : t;
        }
    }

    record StrayDone(int key, int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.ledger().strayDone(key, bucket));
        }
    }

    // --- 孤儿 --------------------------------------------------------------------------------------------------------

    /** The resolver sends an orphan to Kafka again. */
    record SettleForward(int key, int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return Send.append(s, new Message(key, bucket, s.bucket(bucket).epoch()));
        }
    }

    /** Without {@link Safeguard#ORPHANS_SETTLE_FORWARD}: what the ledger does not know is cancelled. */
    record CancelOrphan(int key, int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.ledger().rollBack(key, true, Credit.NONE))
                    .with(
                            bucket,
                            protocol.scripts().restore(s.bucket(bucket), key).bucket());
        }
    }

    /** The resolver's first scan: entries without a flow; then it waits for the fence. */
    record Scan(int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            int orphans = protocol.orphans(s, bucket);
            State t = s.with(s.budget().work());
            return orphans == 0 ? t : t.then(new Judge(bucket, orphans, s.messages()));
        }
    }

    /**
     * The second scan. Orphans that explain the whole difference were written by no script; others settle forward, but only from a book that
     * counts them: until it is calibrated, another resolver may still be about to remove one of them.
     */
    record Judge(int bucket, int orphans, long awaited) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Bucket b = s.bucket(bucket);
            int still = orphans & protocol.orphans(s, bucket);
            if (still == 0) {
                return s;
            }
            boolean fits = Integer.bitCount(b.history() & ~still) == b.count();
            if (fits || !protocol.has(Safeguard.ORPHANS_FIT_EXACTLY)) {
                return s.then(new Remove(bucket, still, Seen.of(b)));
            }
            if (b.entries() > b.count() && protocol.has(Safeguard.ORPHANS_COUNT_BEFORE_THEY_SETTLE)) {
                return s.then(new Calibrate(bucket, -1));
            }
            State t = s;
            for (int key = 0; key < protocol.sale().keys(); key++) {
                t = (still & bit(key)) == 0 ? t : new SettleForward(key, bucket).happen(t, protocol);
            }
            return t;
        }
    }

    record Remove(int bucket, int orphans, Seen seen) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(bucket, protocol.scripts().remove(s.bucket(bucket), orphans, seen));
        }
    }

    // --- 回源校准 ----------------------------------------------------------------------------------------------------

    /**
     * After the fence, while no transfer is open: reads the flows that are sold in the bucket.
     *
     * @param rejected the REJECTED key whose credit waits for the end of this, -1 if none does
     */
    record Calibrate(int bucket, int rejected) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Budget left = rejected < 0 ? s.budget().work() : s.budget();
            return s.with(left)
                    .withoutAll(this::isEarlier)
                    .then(new AdoptSold(bucket, s.ledger().sold(bucket), rejected));
        }

        /** It begins again because the one before has died. */
        private boolean isEarlier(Action action) {
            return action instanceof CalibrationStep step && step.bucket() == bucket && step.rejected() == rejected;
        }
    }

    /** A calibration under way. */
    sealed interface CalibrationStep extends Action {
        int bucket();

        int rejected();
    }

    record AdoptSold(int bucket, int sold, int rejected) implements CalibrationStep {
        @Override
        public State happen(State s, Protocol protocol) {
            Bucket b = s.bucket(bucket);
            for (int key = 0; key < protocol.sale().keys(); key++) {
                b = (sold & bit(key)) == 0 ? b : protocol.scripts().adopt(b, key);
            }
            return b.loaded() ? s.with(bucket, b).then(new Inspect(bucket, rejected)) : s;
        }
    }

    record Inspect(int bucket, int rejected) implements CalibrationStep {
        @Override
        public State happen(State s, Protocol protocol) {
            Bucket b = s.bucket(bucket);
            return b.loaded() ? s.then(new ReadAllotment(bucket, Seen.of(b), rejected)) : s;
        }
    }

    /** Only then the ledger, in one transaction: what the bucket was given, and that none of it is on its way. */
    record ReadAllotment(int bucket, Seen seen, int rejected) implements CalibrationStep {
        @Override
        public State happen(State s, Protocol protocol) {
            boolean open = s.ledger().openTransferOf(bucket) && protocol.has(Safeguard.RECOUNT_NOT_WHILE_MOVING);
            return open
                    ? s
                    : s.then(new Recount(bucket, seen, s.ledger().bucket(bucket).allotted(), rejected));
        }
    }

    record Recount(int bucket, Seen seen, int allotment, int rejected) implements CalibrationStep {
        @Override
        public State happen(State s, Protocol protocol) {
            Bucket b = s.bucket(bucket);
            State t = s.with(bucket, protocol.scripts().recount(b, seen, allotment));
            boolean done = b.loaded() && Seen.of(b).equals(seen);
            return done && rejected >= 0 ? t.then(new Restore(rejected)) : t;
        }
    }

    // --- 预热 --------------------------------------------------------------------------------------------------------

    record RaiseEpoch(int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Ledger raised = s.ledger().raiseEpoch(bucket);
            return s.with(s.budget().work())
                    .with(raised)
                    .then(new Begin(bucket, raised.bucket(bucket).epoch()));
        }
    }

    /** The claim; then the fence is begun: what is in Kafka now must be settled first. */
    record Begin(int bucket, int epoch) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Scripts.Answer answer = protocol.scripts().begin(s.bucket(bucket), epoch);
            State t = s.with(bucket, answer.bucket());
            return answer.code() == 1
                    ? t.then(new ReadLedger(
                            bucket, epoch, protocol.has(Safeguard.LOAD_AFTER_THE_FENCE) ? s.messages() : 0))
                    : t;
        }
    }

    /** @param awaited the messages that the fence waits for */
    record ReadLedger(int bucket, int epoch, long awaited) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Ledger ledger = s.ledger();
            LedgerBucket row = ledger.bucket(bucket);
            if (row.epoch() != epoch) {
                return s;
            }
            return s.then(new Finish(
                    bucket,
                    epoch,
                    row.allotted(),
                    ledger.sold(bucket),
                    ledger.finished(bucket),
                    protocol.has(Safeguard.LOAD_KNOWS_OPEN_MOVES) ? ledger.included(bucket) : 0,
                    row.closed()));
        }
    }

    record Finish(int bucket, int epoch, int allotted, int sold, int finished, int moves, boolean closed)
            implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Scripts.Answer answer = protocol.scripts().finish(s.bucket(bucket), this);
            State t = s.with(bucket, answer.bucket());
            return protocol.sale().toggles() && protocol.has(Safeguard.LOADER_READS_STATE_AGAIN)
                    ? t.then(new MatchState(bucket, closed))
                    : t;
        }
    }

    /**
     * The loader reads again whether the bucket is closed, until that is what it has put: if it opened a bucket without need, late, it would undo
     * a pause.
     *
     * @param put what the bucket was made last
     */
    record MatchState(int bucket, boolean put) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            boolean closed = s.ledger().bucket(bucket).closed();
            return closed == put && protocol.has(Safeguard.LOADER_LEAVES_A_RIGHT_STATE)
                    ? s
                    : s.then(new SetClosed(bucket, closed, false));
        }
    }

    // --- closing ----------------------------------------------------------------------------------------------------

    /** An operator pauses the sale, or lets it go on: the ledger first. */
    record Toggle(int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            boolean close = !s.ledger().bucket(bucket).closed();
            State t = s.with(s.budget().toggle())
                    .with(close ? s.clients() : s.clients().paused(bucket, false));
            return protocol.has(Safeguard.CLOSE_THE_LEDGER_FIRST)
                    ? t.with(s.ledger().close(bucket, close)).then(new SetClosed(bucket, close, true))
                    : t.with(bucket, protocol.scripts().close(s.bucket(bucket), close))
                            .then(new CloseLedger(bucket, close));
        }
    }

    /**
     * {@code close} or {@code open}.
     *
     * @param asked by an operator, who is answered then; otherwise by a loader
     */
    record SetClosed(int bucket, boolean closed, boolean asked) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            State t = s.with(bucket, protocol.scripts().close(s.bucket(bucket), closed));
            if (asked) {
                return t.with(t.clients().paused(bucket, closed));
            }
            return protocol.has(Safeguard.LOADER_LEAVES_A_RIGHT_STATE) ? t.then(new MatchState(bucket, closed)) : t;
        }
    }

    /** Without {@link Safeguard#CLOSE_THE_LEDGER_FIRST}: the ledger last. */
    record CloseLedger(int bucket, boolean closed) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.ledger().close(bucket, closed)).with(s.clients().paused(bucket, closed));
        }
    }

    // --- 库存调拨, 库存调整 -------------------------------------------------------------------------------------------

    /** Giving: the ledger's part. */
    record Give(int part) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.ledger().give(part));
        }
    }

    /** Without {@link Safeguard#GIVE_THE_LEDGER_FIRST}. */
    record DepositFirst(int part) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            int bucket = s.ledger().parts().get(part).to();
            Bucket b = s.bucket(bucket);
            return s.with(
                            bucket,
                            protocol.scripts()
                                    .deposit(b, new Move(part, false), 1, b.epoch())
                                    .bucket())
                    .then(new Give(part));
        }
    }

    record StartPart(int part) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.ledger()
                    .startPart(
                            part, s.bucket(s.ledger().parts().get(part).from()).epoch()));
        }
    }

    /**
     * Takes the unit of a STARTED part out of its bucket. A merge then moves it in the ledger; a negative adjustment withdraws its other
     * parts first.
     *
     * @param units of the parts before this one, with the epochs of their withdrawal
     */
    record Withdraw(int part, List<Integer> units, List<Integer> epochs) implements Action {

        static Withdraw first(int part) {
            return new Withdraw(part, List.of(), List.of());
        }

        @Override
        public State happen(State s, Protocol protocol) {
            Part row = s.ledger().parts().get(part);
            if (row.step() != Step.STARTED) {
                return s;
            }
            Scripts.Answer answer =
                    protocol.scripts().withdraw(s.bucket(row.from()), new Move(part, false), row.epoch());
            State t = s.with(row.from(), answer.bucket());
            if (answer.code() == -3) {
                boolean old = row.epoch() != s.ledger().bucket(row.from()).epoch();
                return old ? t.then(startedAgain(s, row)) : t;
            }
            if (row.to() >= 0) {
                return t.then(new MoveUnits(part, answer.code(), row.epoch()));
            }
            List<Integer> all = with(units, answer.code());
            List<Integer> then = with(epochs, row.epoch());
            return part + 1 < s.ledger().parts().size()
                    ? t.then(new Withdraw(part + 1, all, then))
                    : t.then(new Take(all, then));
        }

        /** A load has undone the withdrawal: the ledger, asked to move it, starts the part in the new epoch. */
        private Action startedAgain(State s, Part row) {
            if (row.to() >= 0) {
                return new MoveUnits(part, 0, row.epoch());
            }
            List<Part> parts = s.ledger().parts();
            return new Take(
                    parts.stream().map(other -> 0).toList(),
                    parts.stream().map(Part::epoch).toList());
        }

        private static List<Integer> with(List<Integer> list, int element) {
            List<Integer> more = new ArrayList<>(list);
            more.add(element);
            return List.copyOf(more);
        }
    }

    /** Merge: the ledger's part. */
    record MoveUnits(int part, int units, int epoch) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.ledger().move(part, units, epoch, !protocol.has(Safeguard.MOVE_IN_ITS_EPOCH)));
        }
    }

    /** Taking: the ledger's part, decided over all its buckets. */
    record Take(List<Integer> units, List<Integer> epochs) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.ledger()
                    .take(
                            units,
                            epochs,
                            !protocol.has(Safeguard.MOVE_IN_ITS_EPOCH),
                            protocol.has(Safeguard.TOO_FEW_GO_BACK)));
        }
    }

    /** Without {@link Safeguard#TAKE_FROM_THE_GATE_FIRST}: the ledger takes what it has, Redis follows. */
    record TakeFirst() implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            List<Integer> units = new ArrayList<>();
            List<Integer> epochs = new ArrayList<>();
            for (Part part : s.ledger().parts()) {
                units.add(Math.min(1, s.ledger().bucket(part.from()).available()));
                epochs.add(s.ledger().bucket(part.from()).epoch());
            }
            return s.with(s.ledger().take(units, epochs, false, false));
        }
    }

    /** The bucket gets what the ledger has moved to it, or what was withdrawn in vain, in the epoch it then has. */
    record BeginDeposit(int part) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            int bucket = s.ledger().parts().get(part).owedTo();
            return s.then(new Deposit(
                    part,
                    s.ledger().parts().get(part).step() == Step.BACK,
                    s.bucket(bucket).epoch()));
        }
    }

    record Deposit(int part, boolean back, int epoch) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Part row = s.ledger().parts().get(part);
            int bucket = back ? row.from() : row.to();
            Scripts.Answer answer =
                    protocol.scripts().deposit(s.bucket(bucket), new Move(part, back), row.units(), epoch);
            State t = s.with(bucket, answer.bucket());
            return answer.code() == -3 ? t : t.then(new PartDone(part));
        }
    }

    record PartDone(int part) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(s.ledger().partDone(part));
        }
    }

    // --- faults -----------------------------------------------------------------------------------------------------

    /** The retry horizon has passed. */
    record Trim(int key, int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Bucket b = s.bucket(bucket);
            return s.with(bucket, b.withTombstones(b.tombstones() & ~bit(key)))
                    .with(s.budget().trim());
        }
    }

    record Replicate(int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.withReplica(bucket, s.bucket(bucket)).with(s.budget().replication());
        }
    }

    record FailOver(int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Bucket old = s.replica().get(bucket);
            int again = Math.max(0, old.stock() - s.bucket(bucket).stock());
            return s.with(bucket, old).with(s.budget().fault()).with(s.clients().lost(again));
        }
    }

    /** Everything of the bucket is gone. */
    record Wipe(int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(bucket, Bucket.EMPTY).with(s.budget().fault());
        }
    }

    /** The stock key is gone: the bucket is not loaded, its tombstones and pointers are there. */
    record LoseStock(int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            return s.with(bucket, s.bucket(bucket).unloaded(0)).with(s.budget().fault());
        }
    }

    record LoseEntry(int key, int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Bucket b = s.bucket(bucket);
            return s.with(bucket, b.withUnits(b.stock(), b.history() & ~bit(key), b.count()))
                    .with(s.budget().fault());
        }
    }

    /** An entry appears that no script wrote. */
    record Forge(int key, int bucket) implements Action {
        @Override
        public State happen(State s, Protocol protocol) {
            Bucket b = s.bucket(bucket);
            return s.with(bucket, b.withUnits(b.stock(), b.history() | bit(key), b.count()))
                    .with(s.budget().fault());
        }
    }
}
