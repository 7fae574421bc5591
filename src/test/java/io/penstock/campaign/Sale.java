package io.penstock.campaign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A sale of one SKU, always close to being sold out: buyers order, change their minds, lose patience and come back, and the merchant adjusts the stock. What each of
 * them does follows from the seed; when it happens does not. Meanwhile an operator merges, retires buckets and brings them back.
 */
final class Sale implements AutoCloseable {

    static final String CODE = "FAULTY";
    static final int BUCKETS = 4;
    static final long TOTAL = 200;

    private static final int BUYERS = 8;
    private static final Duration BREATH = Duration.ofMillis(60);
    private static final Duration BETWEEN_ADJUSTMENTS = Duration.ofMillis(250);
    private static final Duration BETWEEN_REARRANGEMENTS = Duration.ofMillis(700);
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final int MOST_TRIES = 3;

    /** Orders that wait for an outage to end; then buyers rather come back with these than with new ones. */
    private static final int MOST_OPEN = 400;

    private final long seed;
    private final long sku;
    private final Shop shop;
    private final RollbackMessages messages;
    private final AtomicInteger orderNo = new AtomicInteger();
    private final AtomicInteger openOrders = new AtomicInteger();
    private final AtomicInteger adjustmentNo = new AtomicInteger();
    private final Queue<Order> orders = new ConcurrentLinkedQueue<>();
    private final Queue<Order> leftOpen = new ConcurrentLinkedQueue<>();
    private final List<Adjustment> adjustments = new CopyOnWriteArrayList<>();
    private final List<Question> rearrangements = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService people = Executors.newScheduledThreadPool(BUYERS + 2);
    private final CompletableFuture<Void> broken = new CompletableFuture<>();

    /** Units given or taken by a key. */
    record Adjustment(long delta, Question question) {}

    Sale(long seed, long sku, Shop shop, RollbackMessages messages) {
        this.seed = seed;
        this.sku = sku;
        this.shop = shop;
        this.messages = messages;
    }

    /** The name of one of a bucket's keys in Redis. */
    static String key(long sku, int bucket, String what) {
        return "hot_{" + sku + "-" + CODE + "_B" + bucket + "}_" + what;
    }

    void open() {
        for (int buyer = 0; buyer < BUYERS; buyer++) {
            people.scheduleWithFixedDelay(
                    () -> carefully(this::serveNext), 0, BREATH.toMillis(), TimeUnit.MILLISECONDS);
        }
        people.scheduleWithFixedDelay(
                () -> carefully(this::adjust), 0, BETWEEN_ADJUSTMENTS.toMillis(), TimeUnit.MILLISECONDS);
        people.scheduleWithFixedDelay(
                () -> carefully(this::rearrange), 0, BETWEEN_REARRANGEMENTS.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Lets it go on for a while; fails if a buyer met what cannot be. */
    void goOn(Duration time) throws InterruptedException {
        goOnUntil(() -> false, time);
    }

    /** The same, or until {@code enough}. */
    void goOnUntil(BooleanSupplier enough, Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        while (!enough.getAsBoolean() && System.nanoTime() < end) {
            try {
                broken.get(Math.min(LOOK.toNanos(), end - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException allIsWell) {
                // It goes on.
            } catch (ExecutionException e) {
                throw new AssertionError("the sale broke", e.getCause());
            }
        }
    }

    /** No new orders come. */
    void close(Duration patience) throws InterruptedException {
        people.shutdown();
        if (!people.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("a buyer got no answer");
        }
    }

    /** Asks whatever is open until it is decided; fails if something cannot be. */
    void decideAll() {
        ExecutorService clerks = Executors.newFixedThreadPool(BUYERS);
        try {
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            for (Order order : orders) {
                ends.add(CompletableFuture.runAsync(() -> order.end(), clerks));
            }
            for (Adjustment adjustment : adjustments) {
                ends.add(CompletableFuture.runAsync(adjustment.question()::askUntilDecided, clerks));
            }
            ends.forEach(CompletableFuture::join);
        } finally {
            clerks.shutdownNow();
        }
    }

    private void carefully(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            broken.completeExceptionally(e);
            throw e;
        }
    }

    /** A new order, or one that was left open a while ago. */
    private void serveNext() {
        int number = orderNo.incrementAndGet();
        Random random = random(number);
        boolean enoughIsOpen = openOrders.get() >= MOST_OPEN;
        Order open = enoughIsOpen || random.nextInt(5) == 0 ? leftOpen.poll() : null;
        if (open == null) {
            open = new Order(sku, "order-" + number, random, shop, messages);
            orders.add(open);
            openOrders.incrementAndGet();
        }
        int tries = 1 + random.nextInt(MOST_TRIES);
        open.pursue(question -> question.ask(tries));
        if (open.isOver()) {
            openOrders.decrementAndGet();
        } else {
            leftOpen.add(open);
        }
    }

    /** Gives more often than it takes, and a little less than the buyers would keep. */
    private void adjust() {
        Adjustment last = adjustments.isEmpty() ? null : adjustments.get(adjustments.size() - 1);
        if (last == null || last.question().decision().isPresent()) {
            int number = adjustmentNo.incrementAndGet();
            Random random = random(-number);
            long delta = random.nextInt(3) == 0 ? -(1 + random.nextInt(10)) : 10 + random.nextInt(30);
            last = new Adjustment(
                    delta,
                    new Question(
                            "adjust",
                            () -> shop.adjust(sku, "adjustment-" + number, delta),
                            answer -> !answer.unknown() && answer.status() != 202));
            adjustments.add(last);
        }
        last.question().ask(1);
    }

    /** Whether or not it succeeds: what it leaves open must be finished by others. */
    private void rearrange() {
        int number = rearrangements.size() + 1;
        Random random = random(-1_000_000 - number);
        int bucketNo = 1 + random.nextInt(BUCKETS);
        Question question = switch (random.nextInt(3)) {
            case 0 -> new Question("merge", () -> shop.merge(sku), answer -> !answer.unknown());
            case 1 ->
                new Question("retire", () -> shop.setState(sku, bucketNo, "OFFLINE"), answer -> !answer.unknown());
            default ->
                new Question("bring back", () -> shop.setState(sku, bucketNo, "ACTIVE"), answer -> !answer.unknown());
        };
        rearrangements.add(question);
        question.ask(1);
    }

    private Random random(int number) {
        return new Random(seed * 1_000_003 + number);
    }

    long sku() {
        return sku;
    }

    Queue<Order> orders() {
        return orders;
    }

    List<Question> rearrangements() {
        return rearrangements;
    }

    List<Adjustment> adjustments() {
        return adjustments;
    }

    @Override
    public void close() {
        people.shutdownNow();
    }
}
