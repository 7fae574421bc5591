package io.penstock.campaign;

import static org.awaitility.Awaitility.await;

import io.penstock.campaign.Report.Recovery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One seed, a sale, faults while it goes on, the drain, and then the promises. A failure names its seed; with {@code -Dpenstock.campaign.seed=} it has the same buyers and the same faults
 * again, though not at the same moments.
 */
final class Campaign {

    private static final String SEED = "penstock.campaign.seed";
    private static final String DURATION = "penstock.campaign.duration";

    /** How long all may take to come to rest after the last fault. */
    private static final Duration DRAIN = Duration.ofSeconds(90);

    private static final Duration CALM = Duration.ofMillis(500);

    private static final AtomicLong NEXT_SKU = new AtomicLong(770_000);

    private final String name;
    private final Site site;
    private final long seed;
    private final long sku = NEXT_SKU.addAndGet(2);
    private final long probeSku = sku + 1;

    private Campaign(String name, long seed, Site site) {
        this.name = name;
        this.seed = seed;
        this.site = site;
    }

    /** What a campaign does between the opening of the sale and its end. */
    @FunctionalInterface
    interface Course {
        void run(Running running) throws Exception;
    }

    /** Runs to the end and fails with what was broken; the report has it either way. */
    static void run(String name, long seed, Site site, Course course) throws Exception {
        new Campaign(name, seed, site).run(course);
    }

    /** Once in the short form; in the long one again and again, each time with another seed, for {@code penstock.campaign.duration}. */
    static void repeat(String name, Site site, Course course) throws Exception {
        long end = System.nanoTime()
                + Duration.parse(System.getProperty(DURATION, "PT0S")).toNanos();
        do {
            run(name, newSeed(), site, course);
        } while (System.nanoTime() < end);
    }

    /** Another one each time, unless one is to be seen again. */
    static long newSeed() {
        return Long.getLong(SEED, ThreadLocalRandom.current().nextLong(1_000_000));
    }

    /** The form: short in every build, long with {@code -Pcampaign}. */
    static boolean isLong() {
        return Boolean.getBoolean("penstock.campaign");
    }

    static <T> List<T> choose(long seed, int inShortForm, List<T> all) {
        List<T> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, new Random(seed));
        return isLong() ? shuffled : shuffled.subList(0, inShortForm);
    }

    /** A sale that goes on. */
    final class Running {

        private final Sale sale;
        private final Shop shop;
        private final List<Recovery> recoveries = new ArrayList<>();
        private boolean redisLostData;
        private int probes;

        private Running(Sale sale, Shop shop) {
            this.sale = sale;
            this.shop = shop;
        }

        long sku() {
            return sku;
        }

        Sale sale() {
            return sale;
        }

        /** Where the buyers go. */
        Shop shop() {
            return shop;
        }

        /** All of them in the long form, so many in the short one; which and in what order, says the seed. */
        List<Fault> choose(int inShortForm, List<Fault> faults) {
            return Campaign.choose(seed, inShortForm, faults);
        }

        /** From now on Redis may have less than it had answered. */
        void redisLosesData() {
            redisLostData = true;
        }

        /** One fault from its beginning to the recovery from it. */
        void suffer(Fault fault) throws Exception {
            sale.goOn(CALM);
            redisLostData |= fault.losesRedisData();
            fault.begin().take();
            try {
                sale.goOn(fault.lasts());
            } finally {
                fault.end().take();
            }
            recoverFrom(fault.name());
        }

        /** Waits until every instance sells, settles and gives back again, without a restart, and reports how long it took. */
        void recoverFrom(String fault) {
            long began = System.nanoTime();
            for (PackagedService instance : site.instances()) {
                Shop shop = new Shop(instance.port());
                String key = "probe-" + ++probes;
                until(() -> shop.deduct(probeSku, key, 1).accepted());
                until(() -> "DEDUCTED".equals(shop.find(probeSku, key).body().getString("status")));
                until(() -> shop.rollBack(probeSku, key).status() == 200);
            }
            recoveries.add(new Recovery(fault, Duration.ofNanos(System.nanoTime() - began)));
        }
    }

    private static void until(Callable<Boolean> done) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .atMost(DRAIN)
                .until(done);
    }

    private void run(Course course) throws Exception {
        long began = System.nanoTime();
        String kafka = site.servers().kafka().address();
        Shop shop = site.shop();
        // While everything is well; what is defined twice was there already.
        until(() -> shop.define(sku, Sale.CODE, Sale.TOTAL, Sale.BUCKETS).accepted());
        until(() -> shop.define(probeSku, "PROBE", 1_000_000, 2).accepted());
        Report.Entry entry = new Report.Entry(name, seed);
        try (AtRest atRest = new AtRest(site.servers());
                OutcomeMessages outcomes = new OutcomeMessages(kafka, sku);
                RollbackMessages messages = new RollbackMessages(kafka, sku);
                Sale sale = new Sale(seed, sku, shop, messages)) {
            Running running = new Running(sale, shop);
            List<String> broken = new ArrayList<>();
            try {
                sale.open();
                course.run(running);
                sale.close(DRAIN);
                sale.decideAll();
                broken.addAll(rest(new Promises(atRest, outcomes, running.redisLostData), sale));
            } catch (Exception | AssertionError e) {
                broken.add(e.toString());
                throw new AssertionError(replay(), e);
            } finally {
                entry.end(Duration.ofNanos(System.nanoTime() - began), sale, running.recoveries, broken);
                Report.add(entry);
            }
            if (!broken.isEmpty()) {
                throw new AssertionError(replay() + "\n"
                        + String.join("\n", broken.subList(0, Math.min(20, broken.size()))));
            }
        }
    }

    /** Waits until nothing is broken any more; what still is then, is. */
    private static List<String> rest(Promises promises, Sale sale) throws Exception {
        long end = System.nanoTime() + DRAIN.toNanos();
        List<String> broken = promises.broken(sale);
        while (!broken.isEmpty() && System.nanoTime() < end) {
            sale.goOn(CALM);
            broken = promises.broken(sale);
        }
        return broken;
    }

    private String replay() {
        return "campaign '" + name + "' broke a promise; again: -D" + SEED + "=" + seed;
    }
}
