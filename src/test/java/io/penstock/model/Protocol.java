package io.penstock.model;

import io.penstock.model.Flow.Status;
import io.penstock.model.Part.Step;
import io.penstock.model.Sale.Fault;
import java.util.ArrayList;
import java.util.List;

/** What can happen next in a sale, and what becomes of it; whole, or with one safeguard taken away. */
final class Protocol {

    private final Sale sale;
    private final Safeguard without;
    private final Scripts scripts;

    /** @param without null if nothing is taken away */
    Protocol(Sale sale, Safeguard without) {
        this.sale = sale;
        this.without = without;
        this.scripts = new Scripts(without);
    }

    Sale sale() {
        return sale;
    }

    Scripts scripts() {
        return scripts;
    }

    boolean has(Safeguard safeguard) {
        return without != safeguard;
    }

    State next(State s, Action action) {
        return action.happen(s.without(action), this);
    }

    /** A transaction has changed a flow: what it owes to tell is written with it. */
    State changed(State s, int key) {
        if (!sale.telling()) {
            return s;
        }
        State t = s.with(s.clients().told(key, false));
        return has(Safeguard.OUTCOME_IS_OWED) ? t.with(t.ledger().oweOutcome(key)) : t.then(new Action.Tell(key));
    }

    /** The key is accepted and Redis lost nothing: whoever asks again must be told so. */
    boolean remembered(State s, int key) {
        return s.clients().keeps(key) && !sale.lossy();
    }

    List<Action> enabled(State s) {
        List<Action> actions = new ArrayList<>();
        for (Action action : s.pending()) {
            if (possible(s, action)) {
                actions.add(action);
            }
            if (action instanceof Action.Ask ask
                    && sale.skipping()
                    && ask.bucket() != sale.home(ask.key())
                    && !ask.followed()) {
                actions.add(new Action.Skip(ask));
            }
        }
        clients(s, actions);
        for (Message message : Message.all(s.messages())) {
            actions.add(new Action.Settle(message, false));
        }
        background(s, actions);
        faults(s, actions);
        return actions;
    }

    private static boolean possible(State s, Action action) {
        if (action instanceof Action.ReadLedger load) {
            return (load.awaited() & s.messages()) == 0;
        }
        if (action instanceof Action.Judge judge) {
            return (judge.awaited() & s.messages()) == 0;
        }
        if (action instanceof Action.Calibrate calibrate) {
            return calibratable(s, calibrate.bucket());
        }
        return true;
    }

    private void clients(State s, List<Action> actions) {
        for (int key = 0; key < sale.keys(); key++) {
            if (s.budget().requests(key)) {
                actions.add(new Action.Request(key));
                if (!has(Safeguard.HOME_IS_ASKED) && sale.buckets() > 1) {
                    actions.add(new Action.RequestElsewhere(key));
                }
            }
            if (s.budget().rollbacks(key)) {
                actions.add(rollBack(s, key));
            }
        }
        if (s.budget().toggles() > 0) {
            actions.add(new Action.Toggle(0));
        }
    }

    private Action rollBack(State s, int key) {
        if (!has(Safeguard.LEDGER_FIRST)) {
            for (int bucket = 0; bucket < sale.buckets(); bucket++) {
                if (s.bucket(bucket).loaded() && s.bucket(bucket).holds(key)) {
                    return new Action.GiveBackFirst(key, bucket);
                }
            }
        }
        return new Action.RollBack(key);
    }

    /** What the service does by itself, in the order in which it brings a sale to rest. */
    List<Action> background(State s) {
        List<Action> actions = new ArrayList<>();
        background(s, actions);
        return actions;
    }

    private void background(State s, List<Action> actions) {
        for (Message message : Message.all(s.messages())) {
            actions.add(new Action.Settle(message, true));
        }
        logs(s, actions);
        loads(s, actions);
        transfers(s, actions);
        for (int key = 0; key < sale.keys(); key++) {
            if (s.ledger().flow(key).owes() && givable(s, key)) {
                actions.add(new Action.Sweep(key));
            }
            if (s.ledger().owesOutcome(key)) {
                actions.add(new Action.Tell(key));
            }
        }
        strays(s, actions);
        if (sale.calibrating() || (sale.needsReconciliation() && s.budget().equals(Budget.AT_REST))) {
            for (int bucket = 0; bucket < sale.buckets(); bucket++) {
                if (s.budget().background() > 0 && calibratable(s, bucket)) {
                    actions.add(new Action.Calibrate(bucket, -1));
                }
            }
        }
    }

    private void logs(State s, List<Action> actions) {
        for (int key = 0; key < s.logs().size(); key++) {
            Log log = s.logs().get(key);
            if (!has(Safeguard.ONE_LOG_A_KEY)) {
                for (int entry = log.next(); entry < log.entries().size(); entry++) {
                    actions.add(new Action.Consume(key, entry));
                }
            } else if (log.hasNext()) {
                actions.add(new Action.Consume(key, log.next()));
            }
        }
    }

    private void loads(State s, List<Action> actions) {
        for (int bucket = 0; bucket < sale.buckets(); bucket++) {
            Bucket b = s.bucket(bucket);
            int of = bucket;
            boolean asked = b.loaded()
                    && s.ledger().parts().stream()
                            .anyMatch(part -> part.step() == Step.STARTED
                                    && part.from() == of
                                    && part.epoch() != b.epoch()
                                    && part.epoch() == s.ledger().bucket(of).epoch());
            if ((!b.loaded() || asked) && s.budget().background() > 0) {
                actions.add(new Action.RaiseEpoch(bucket));
            }
        }
    }

    private void transfers(State s, List<Action> actions) {
        for (int i = 0; i < s.ledger().parts().size(); i++) {
            Part part = s.ledger().parts().get(i);
            switch (part.step()) {
                case NONE -> begin(s, i, part, actions);
                case STARTED -> {
                    if (sale.taking() && !has(Safeguard.TAKE_FROM_THE_GATE_FIRST)) {
                        actions.add(new Action.TakeFirst());
                        continue;
                    }
                    boolean first = part.to() >= 0 || i == 0;
                    boolean all = s.ledger().parts().stream().allMatch(other -> other.step() == Step.STARTED);
                    if (first && all && s.bucket(part.from()).loaded()) {
                        actions.add(Action.Withdraw.first(i));
                    }
                }
                case MOVED, BACK -> {
                    if (part.owedTo() >= 0 && s.bucket(part.owedTo()).loaded()) {
                        actions.add(new Action.BeginDeposit(i));
                    }
                }
                case DONE -> {}
            }
        }
    }

    private void begin(State s, int i, Part part, List<Action> actions) {
        if (sale.giving()) {
            boolean wrongWay = !has(Safeguard.GIVE_THE_LEDGER_FIRST);
            if (!wrongWay) {
                actions.add(new Action.Give(i));
            } else if (s.bucket(part.to()).loaded()) {
                actions.add(new Action.DepositFirst(i));
            }
        } else if (s.bucket(part.from()).loaded()) {
            actions.add(new Action.StartPart(i));
        }
    }

    private void strays(State s, List<Action> actions) {
        for (int bucket = 0; bucket < sale.buckets(); bucket++) {
            Bucket b = s.bucket(bucket);
            if (!b.loaded()) {
                continue;
            }
            boolean scanning = sale.fault() == Fault.FORGE;
            for (int key = 0; key < sale.keys(); key++) {
                Flow flow = s.ledger().flow(key);
                if (s.ledger().owesStray(key, bucket)) {
                    actions.add(new Action.RestoreStray(key, bucket));
                } else if (b.holds(key) && !flow.exists() && !scanning && !underway(s, key)) {
                    actions.add(
                            has(Safeguard.ORPHANS_SETTLE_FORWARD)
                                    ? new Action.SettleForward(key, bucket)
                                    : new Action.CancelOrphan(key, bucket));
                } else if (b.holds(key) && isStray(flow, bucket) && has(Safeguard.STRAYS_GO_BACK)) {
                    actions.add(new Action.RestoreStray(key, bucket));
                }
            }
            if (scanning && s.budget().background() > 0) {
                if (orphans(s, bucket) != 0) {
                    actions.add(new Action.Scan(bucket));
                } else if (b.entries() != b.count() && calibratable(s, bucket)) {
                    actions.add(new Action.Calibrate(bucket, -1));
                }
            }
        }
    }

    private static boolean underway(State s, int key) {
        return s.ordered() && s.logs().get(key).awaitsDeduction();
    }

    /** An entry of a flow that says otherwise. The one of a flow that is owed its credit goes back with that. */
    private static boolean isStray(Flow flow, int bucket) {
        boolean credited = flow.owes() && flow.bucket() == bucket;
        return flow.exists() && !flow.soldAt(bucket) && !credited;
    }

    private void faults(State s, List<Action> actions) {
        for (int bucket = 0; bucket < sale.buckets(); bucket++) {
            Bucket b = s.bucket(bucket);
            if (s.budget().trims() > 0 && b.loaded()) {
                for (int key = 0; key < sale.keys(); key++) {
                    if (b.buried(key) && !s.ledger().flow(key).owes() && !inHand(s, key)) {
                        actions.add(new Action.Trim(key, bucket));
                    }
                }
            }
            if (s.budget().faults() > 0) {
                fault(s, bucket, b, actions);
            }
        }
        for (int key = 0; key < s.logs().size() && s.budget().rereads() > 0; key++) {
            for (int from = 0; from < s.logs().get(key).next(); from++) {
                actions.add(new Action.Reread(key, from));
            }
        }
    }

    private void fault(State s, int bucket, Bucket b, List<Action> actions) {
        switch (sale.fault()) {
            case NONE -> {}
            case FAIL_OVER -> {
                if (!s.replica().get(bucket).equals(b)) {
                    if (s.budget().replications() > 0) {
                        actions.add(new Action.Replicate(bucket));
                    }
                    actions.add(new Action.FailOver(bucket));
                }
            }
            case WIPE -> {
                if (!b.equals(Bucket.EMPTY)) {
                    actions.add(new Action.Wipe(bucket));
                }
            }
            case LOSE_STOCK -> {
                if (b.loaded()) {
                    actions.add(new Action.LoseStock(bucket));
                }
            }
            case LOSE_ENTRY -> {
                for (int key = 0; key < sale.keys(); key++) {
                    if (b.loaded() && b.holds(key)) {
                        actions.add(new Action.LoseEntry(key, bucket));
                    }
                }
            }
            case FORGE -> actions.add(new Action.Forge(sale.keys() - 1, bucket));
        }
    }

    /** A retry horizon is longer than any step takes. */
    private static boolean inHand(State s, int key) {
        return s.pending().stream()
                .anyMatch(action -> action.equals(new Action.Restore(key)) || action.equals(new Action.Repay(key)));
    }

    /** The first step of giving an owed credit. */
    Action credit(Ledger ledger, int key) {
        Flow flow = ledger.flow(key);
        return switch (flow.status()) {
            case CANCELLED -> new Action.Entomb(key, 0);
            case REJECTED ->
                has(Safeguard.CALIBRATE_BEFORE_REJECTED_GO_BACK)
                        ? new Action.Calibrate(flow.bucket(), key)
                        : new Action.Restore(key);
            case ROLLED_BACK -> new Action.Restore(key);
            case NONE, DEDUCTED -> throw new IllegalStateException("owes nothing: " + flow);
        };
    }

    /** Whether anything can come of it now: missing buckets are loaded first. */
    private boolean givable(State s, int key) {
        Flow flow = s.ledger().flow(key);
        if (flow.status() == Status.CANCELLED) {
            return s.gate().stream().allMatch(Bucket::loaded);
        }
        boolean calibrates = credit(s.ledger(), key) instanceof Action.Calibrate;
        return s.bucket(flow.bucket()).loaded() && (!calibrates || calibratable(s, flow.bucket()));
    }

    /** After the fence, and while none of the bucket's units is on its way. */
    private static boolean calibratable(State s, int bucket) {
        return s.bucket(bucket).loaded()
                && Message.ofBucket(s.messages(), bucket) == 0
                && !s.ledger().openTransferOf(bucket);
    }

    /** The entries that the ledger has no flow for. */
    int orphans(State s, int bucket) {
        int orphans = 0;
        for (int key = 0; key < sale.keys(); key++) {
            boolean orphan = s.bucket(bucket).loaded()
                    && s.bucket(bucket).holds(key)
                    && !s.ledger().flow(key).exists();
            orphans |= orphan ? Bucket.bit(key) : 0;
        }
        return orphans;
    }
}
