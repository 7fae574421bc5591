package io.penstock.gate;

import io.penstock.stock.BucketId;
import io.penstock.stock.DeductCode;
import io.penstock.stock.DeductKey;
import io.penstock.stock.Quantity;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.AsyncResult;
import io.vertx.core.Handler;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.ErrorType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One event loop's way to Redis: its own connection and its own queues, so that nothing is locked. Only {@link #deduct} and
 * {@link #call} may be used from elsewhere; they hop here.
 *
 * <p>Deductions travel in rounds. What arrives while a round is in flight gathers, per bucket; when the round is answered the
 * next one leaves at once with all of it, one script call per bucket and {@value Script#MAX_BATCH} deductions. A round that finds none
 * in flight leaves at the end of the tick, so coalescing adds no wait at low load, and under load the batches grow by themselves.
 * A bucket has one round in flight at most. A round that is not answered for {@link #sweepMillis} is no longer waited for:
 * a node that hangs delays its own buckets alone.
 *
 * <p>Every call has the same timeout, so the order of arrival is the order of the deadlines: one queue and one timer serve all.
 */
final class Lane implements Wire.Watcher {

    private final ContextInternal loop;
    private final Wire wire;
    private final int maxUnanswered;
    private final long timeoutNanos;
    private final long sweepMillis;

    /** The buckets with someone waiting or in flight, and no others. */
    private final Map<BucketId, BucketQueue> queues = new LinkedHashMap<>();
    /** Other calls that wait for the connection to open. */
    private final Deque<SingleCall> unsent = new ArrayDeque<>();
    /** Calls by deadline. An answered one stays until those before it are done. */
    private final Deque<Caller<?>> byDeadline = new ArrayDeque<>();

    private int unanswered;
    /** Deductions not sent yet. */
    private int waiting;

    private boolean roundDue;
    private long round;
    /** Script calls of the current round without an answer. */
    private int roundOpen;

    private boolean sweeping;
    private long roundAtLastSweep;

    Lane(ContextInternal loop, RedisOptions options, GateConfig config) {
        this.loop = loop;
        this.maxUnanswered = config.maxUnanswered();
        this.timeoutNanos = config.timeout().toNanos();
        this.sweepMillis = Math.max(5, config.timeout().toMillis() / 20);
        this.wire = new Wire(loop, options, config.timeout(), config.maxReconnectPause(), this);
    }

    /** From any thread. The answer is given on {@code caller}, or on this loop if it is null. */
    void deduct(
            BucketId bucket,
            DeductKey key,
            Quantity qty,
            ContextInternal caller,
            UniEmitter<? super DeductAnswer> emitter) {
        loop.emit(new Deduction(bucket, key, qty, answerOn(caller), emitter), this::enqueue);
    }

    /** From any thread. One script call by itself; the answer is given on {@code caller}, or on this loop if it is null. */
    void call(
            Script script,
            BucketId bucket,
            List<String> args,
            ContextInternal caller,
            UniEmitter<? super Response> emitter) {
        loop.emit(new SingleCall(script, bucket, args, answerOn(caller), emitter), this::sendOrWait);
    }

    /** From any thread. Calls in flight fail. */
    void close() {
        loop.emit(null, nothing -> wire.close());
    }

    /** On this loop. Whether it holds no caller and no bucket. */
    boolean isIdle() {
        return unanswered == 0 && waiting == 0 && queues.isEmpty() && unsent.isEmpty() && byDeadline.isEmpty();
    }

    private ContextInternal answerOn(ContextInternal caller) {
        return caller == null ? loop : caller;
    }

    // ---- Deductions
    // --------------------------------------------------------------------------------------------------

    private void enqueue(Deduction deduction) {
        if (!admit(deduction)) {
            return;
        }
        queues.computeIfAbsent(deduction.bucket, BucketQueue::new).waiting.add(deduction);
        waiting++;
        if (wire.state() == Wire.State.OPEN) {
            scheduleRound();
        }
    }

    private void scheduleRound() {
        if (!roundDue && roundOpen == 0 && waiting > 0) {
            roundDue = true;
            // A task of this loop runs after all sockets that are readable now: their requests join the round.
            loop.runOnContext(tick -> startRound());
        }
    }

    private void startRound() {
        roundDue = false;
        if (wire.state() != Wire.State.OPEN) {
            return;
        }
        round++;
        List<DeductCall> calls = new ArrayList<>();
        for (Iterator<BucketQueue> all = queues.values().iterator(); all.hasNext(); ) {
            BucketQueue queue = all.next();
            if (queue.inFlight == 0) {
                takeAll(queue, calls);
                if (queue.isIdle()) {
                    all.remove();
                }
            }
        }
        roundOpen = calls.size();
        // Only now: a send that fails at once is answered before send returns, and would change the queues under the
        // loop.
        calls.forEach(this::send);
    }

    /** All of a bucket's deductions, in several calls if need be: Redis runs them in order. */
    private void takeAll(BucketQueue queue, List<DeductCall> calls) {
        while (!queue.waiting.isEmpty()) {
            List<Deduction> batch = new ArrayList<>(Math.min(queue.waiting.size(), Script.MAX_BATCH));
            while (batch.size() < Script.MAX_BATCH && !queue.waiting.isEmpty()) {
                Deduction deduction = queue.waiting.poll();
                if (!deduction.settled) {
                    batch.add(deduction);
                    waiting--;
                }
            }
            if (!batch.isEmpty()) {
                DeductCall call = new DeductCall(queue, batch, round);
                batch.forEach(deduction -> deduction.call = call);
                queue.inFlight++;
                calls.add(call);
            }
        }
    }

    private void send(DeductCall call) {
        List<String> args = new ArrayList<>(2 * call.deductions.size());
        for (Deduction deduction : call.deductions) {
            args.add(deduction.key.value());
            args.add(deduction.qty.toString());
        }
        transmit(Script.DEDUCT, call.queue.bucket, args, reply -> {
            if (!finish(call)) {
                return; // given up before: its callers were told that it is unknown
            }
            if (reply.failed()) {
                fail(call, failure(reply.cause()));
                scheduleRound();
                return;
            }
            // The next round leaves before the callers are served, and while the socket is being read: Vert.x then
            // flushes
            // all its calls at once. In the time of a round trip the callers' work is done.
            if (roundOpen == 0 && !roundDue && waiting > 0) {
                startRound();
            }
            answer(call, reply.result());
        });
    }

    /** Frees the call's place in its bucket and its round. False if that was done before. */
    private boolean finish(DeductCall call) {
        if (call.over) {
            return false;
        }
        call.over = true;
        call.queue.inFlight--;
        if (call.queue.isIdle()) {
            queues.remove(call.queue.bucket);
        }
        if (call.round == round) {
            roundOpen--;
        }
        return true;
    }

    private void answer(DeductCall call, Response reply) {
        List<DeductAnswer> answers;
        try {
            answers = answers(reply, call.deductions.size());
        } catch (RuntimeException unreadable) {
            fail(call, new GateUnavailable("the gate's answer cannot be read", unreadable));
            return;
        }
        for (int i = 0; i < answers.size(); i++) {
            complete(call.deductions.get(i), answers.get(i));
        }
    }

    private static List<DeductAnswer> answers(Response reply, int expected) {
        long epoch = reply.get(0).toLong();
        long left = reply.get(1).toLong();
        Response codes = reply.get(2);
        Response takers = reply.get(3);
        long allotment = reply.get(4).toLong();
        if (codes.size() != expected) {
            throw new IllegalStateException(codes.size() + " answers to " + expected + " deductions");
        }
        List<DeductAnswer> answers = new ArrayList<>(expected);
        int spilled = 0;
        for (int i = 0; i < expected; i++) {
            DeductCode code = DeductCode.of(codes.get(i).toInteger());
            int taker = code == DeductCode.SPILLED ? takers.get(spilled++).toInteger() : -1;
            answers.add(new DeductAnswer(code, epoch, left, taker, allotment));
        }
        return answers;
    }

    private void fail(DeductCall call, GateUnavailable failure) {
        call.deductions.forEach(deduction -> fail(deduction, failure));
    }

    // ---- Other calls
    // -------------------------------------------------------------------------------------------------

    private void sendOrWait(SingleCall call) {
        if (!admit(call)) {
            return;
        }
        if (wire.state() == Wire.State.OPEN) {
            send(call);
        } else {
            unsent.add(call);
        }
    }

    private void send(SingleCall call) {
        call.sent = true;
        transmit(call.script, call.bucket, call.args, reply -> {
            if (call.settled) {
                return;
            }
            if (reply.failed()) {
                fail(call, failure(reply.cause()));
            } else {
                complete(call, reply.result());
            }
        });
    }

    // ---- Redis
    // -------------------------------------------------------------------------------------------------------

    private void transmit(Script script, BucketId bucket, List<String> args, Handler<AsyncResult<Response>> answer) {
        RedisConnection connection = wire.connection();
        connection.send(script.bySha1(bucket, args)).onComplete(reply -> {
            if (reply.cause() instanceof ErrorType error && error.is("NOSCRIPT")) {
                connection.send(script.byText(bucket, args)).onComplete(answer);
            } else {
                answer.handle(reply);
            }
        });
    }

    /** What callers are told. The text names no host; the cause may. */
    private GateUnavailable failure(Throwable cause) {
        boolean answered = cause instanceof ErrorType error && !error.is("CONNECTION_CLOSED");
        if (!answered) {
            wire.doubt();
            return new GateUnavailable("the connection to the gate broke", cause);
        }
        String text = String.valueOf(cause.getMessage());
        String code = text.contains(" ") ? text.substring(0, text.indexOf(' ')) : text;
        if (code.equals("READONLY") || code.equals("MASTERDOWN")) {
            wire.doubt(); // this was the master once: connect again, to whoever is it now
        }
        return new GateUnavailable("the gate answered " + code, cause);
    }

    @Override
    public void opened() {
        while (!unsent.isEmpty()) {
            SingleCall call = unsent.poll();
            if (!call.settled) {
                send(call);
            }
        }
        scheduleRound();
    }

    @Override
    public void notOpened(Throwable cause) {
        if (wire.state() == Wire.State.OPEN) {
            return; // the connection in doubt is still there, and nobody waits for this one
        }
        GateUnavailable failure = new GateUnavailable("the gate cannot be reached", cause);
        List<Caller<?>> all = new ArrayList<>(unsent);
        queues.values().forEach(queue -> all.addAll(queue.waiting));
        unsent.clear();
        queues.clear(); // nothing is in flight on a wire that never opened
        all.forEach(caller -> fail(caller, failure));
    }

    // ---- Callers and their deadlines
    // ---------------------------------------------------------------------------------

    /** Counts a call in, unless there are too many or Redis is known to be away. */
    private boolean admit(Caller<?> caller) {
        if (unanswered >= maxUnanswered) {
            refuse(caller, new GateOverloaded(maxUnanswered));
            return false;
        }
        wire.open();
        if (wire.state() == Wire.State.AWAY) {
            refuse(caller, new GateUnavailable("the gate cannot be reached", null));
            return false;
        }
        unanswered++;
        caller.deadline = System.nanoTime() + timeoutNanos;
        byDeadline.add(caller);
        if (!sweeping) {
            sweeping = true;
            loop.owner().setTimer(sweepMillis, this::sweep);
        }
        return true;
    }

    private static void refuse(Caller<?> caller, RuntimeException failure) {
        caller.settled = true;
        caller.context.emit(failure, caller.emitter::fail);
    }

    private <T> void complete(Caller<T> caller, T answer) {
        if (settle(caller)) {
            caller.context.emit(answer, caller.emitter::complete);
        }
    }

    private void fail(Caller<?> caller, GateUnavailable failure) {
        if (settle(caller)) {
            caller.context.emit(failure, caller.emitter::fail);
        }
    }

    private boolean settle(Caller<?> caller) {
        if (caller.settled) {
            return false;
        }
        caller.settled = true;
        unanswered--;
        if (caller instanceof Deduction deduction && deduction.call == null) {
            waiting--;
        }
        while (!byDeadline.isEmpty() && byDeadline.peek().settled) {
            byDeadline.poll();
        }
        return true;
    }

    private void sweep(long timer) {
        long now = System.nanoTime();
        while (!byDeadline.isEmpty() && byDeadline.peek().deadline - now <= 0) {
            expire(byDeadline.peek());
        }
        if (roundOpen > 0 && roundAtLastSweep == round) {
            round++; // overdue: whoever waits for another bucket goes on without it
            roundOpen = 0;
        }
        roundAtLastSweep = round;
        scheduleRound();
        sweeping = unanswered > 0;
        if (sweeping) {
            loop.owner().setTimer(sweepMillis, this::sweep);
        }
    }

    /** Settles the caller, whatever else it does: the head of the deadlines moves on. */
    private void expire(Caller<?> caller) {
        GateUnavailable unknown = new GateUnavailable("the gate did not answer in time", null);
        if (caller instanceof Deduction deduction && deduction.call != null) {
            if (finish(deduction.call)) {
                wire.doubt();
            }
            fail(deduction.call, unknown);
        } else if (caller instanceof Deduction deduction) {
            fail(deduction, unknown);
            dropExpired(deduction.bucket);
        } else {
            if (((SingleCall) caller).sent) {
                wire.doubt();
            }
            fail(caller, unknown);
        }
    }

    /** The first to arrive expire first, so they are at the head. */
    private void dropExpired(BucketId bucket) {
        BucketQueue queue = queues.get(bucket);
        while (!queue.waiting.isEmpty() && queue.waiting.peek().settled) {
            queue.waiting.poll();
        }
        if (queue.isIdle()) {
            queues.remove(bucket);
        }
    }

    /** Someone who waits for an answer. */
    private abstract static sealed class Caller<T> {
        final ContextInternal context;
        final UniEmitter<? super T> emitter;
        long deadline;
        boolean settled;

        Caller(ContextInternal context, UniEmitter<? super T> emitter) {
            this.context = context;
            this.emitter = emitter;
        }
    }

    private static final class Deduction extends Caller<DeductAnswer> {
        final BucketId bucket;
        final DeductKey key;
        final Quantity qty;
        /** The script call it travels in; null while it waits. */
        DeductCall call;

        Deduction(
                BucketId bucket,
                DeductKey key,
                Quantity qty,
                ContextInternal context,
                UniEmitter<? super DeductAnswer> emitter) {
            super(context, emitter);
            this.bucket = bucket;
            this.key = key;
            this.qty = qty;
        }
    }

    private static final class SingleCall extends Caller<Response> {
        final Script script;
        final BucketId bucket;
        final List<String> args;
        boolean sent;

        SingleCall(
                Script script,
                BucketId bucket,
                List<String> args,
                ContextInternal context,
                UniEmitter<? super Response> emitter) {
            super(context, emitter);
            this.script = script;
            this.bucket = bucket;
            this.args = args;
        }
    }

    private static final class BucketQueue {
        final BucketId bucket;
        final Deque<Deduction> waiting = new ArrayDeque<>();
        /** Script calls without an answer, all of one round. */
        int inFlight;

        BucketQueue(BucketId bucket) {
            this.bucket = bucket;
        }

        boolean isIdle() {
            return inFlight == 0 && waiting.isEmpty();
        }
    }

    /** One script call of a round. */
    private static final class DeductCall {
        final BucketQueue queue;
        final List<Deduction> deductions;
        final long round;
        /** Answered, failed or given up. */
        boolean over;

        DeductCall(BucketQueue queue, List<Deduction> deductions, long round) {
            this.queue = queue;
            this.deductions = deductions;
            this.round = round;
        }
    }
}
