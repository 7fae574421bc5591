package io.penstock.deduction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.stock.BucketId;
import io.penstock.stock.SkuCode;
import io.penstock.stock.SkuId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoutingTest {

    /** Of the same SKU, whose number and code the hash does not use. */
    private static List<BucketId> buckets(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(RoutingTest::bucket).toList();
    }

    private static BucketId bucket(int bucketNo) {
        return new BucketId(new SkuId(1001), new SkuCode("SKU_A"), bucketNo);
    }

    private static List<Integer> walk(List<BucketId> buckets, String key) {
        return Routing.walk(buckets, key).stream().map(BucketId::bucketNo).toList();
    }

    private static int home(List<BucketId> buckets, String key) {
        return Routing.walk(buckets, key).get(0).bucketNo();
    }

    private static Stream<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> "order-" + i);
    }

    @Nested
    class TheHash {

        /** From a second implementation, in another language. If one of these changes, retries of keys in flight lose their home. */
        static Stream<Arguments> golden() {
            return Stream.of(
                    Arguments.of("order-1", List.of(5, 1, 4, 2, 3), List.of(54, 28, 5, 49, 19)),
                    Arguments.of("order-2", List.of(3, 4, 2, 5, 1), List.of(3, 8, 62, 27, 23)),
                    Arguments.of("u-7", List.of(3, 5, 1, 2, 4), List.of(21, 59, 13, 23, 18)),
                    Arguments.of("A", List.of(5, 1, 2, 3, 4), List.of(28, 63, 22, 53, 6)),
                    Arguments.of("z", List.of(1, 5, 2, 3, 4), List.of(46, 43, 1, 25, 61)),
                    Arguments.of("20261130-000000000001", List.of(4, 1, 3, 2, 5), List.of(20, 41, 17, 37, 22)),
                    Arguments.of("用户七", List.of(1, 4, 2, 5, 3), List.of(19, 13, 25, 49, 50)),
                    Arguments.of("a:b.c_d-e", List.of(3, 2, 1, 4, 5), List.of(12, 26, 40, 10, 27)));
        }

        @ParameterizedTest
        @MethodSource("golden")
        void neverChanges(String key, List<Integer> ofFive, List<Integer> firstOf64) {
            assertEquals(ofFive, walk(buckets(5), key));
            assertEquals(firstOf64, walk(buckets(64), key).subList(0, 5));
        }

        @Test
        void doesNotDependOnTheOrderInWhichTheBucketsAreGiven() {
            List<BucketId> shuffled = new ArrayList<>(buckets(16));
            Collections.shuffle(shuffled, new Random(1));

            keys(200).forEach(key -> assertEquals(walk(buckets(16), key), walk(shuffled, key)));
        }
    }

    @Nested
    class TheWalk {

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 5, 64})
        void asksEachBucketOnce(int count) {
            keys(200)
                    .forEach(key -> assertEquals(
                            IntStream.rangeClosed(1, count).boxed().toList(),
                            walk(buckets(count), key).stream().sorted().toList()));
        }

        @Test
        void isTheOnlyBucketOfAnUnbucketedSku() {
            assertEquals(List.of(0), walk(List.of(bucket(0)), "order-1"));
        }

        @Test
        void leadsTheKeysOfOneHomeToDifferentNextBuckets() {
            List<BucketId> five = buckets(5);
            long seconds = keys(1_000)
                    .map(key -> walk(five, key))
                    .filter(walk -> walk.get(0) == 1)
                    .map(walk -> walk.get(1))
                    .distinct()
                    .count();

            assertEquals(4, seconds, "a bucket that runs empty must not push all its keys to one other");
        }
    }

    @Nested
    class TheHomes {

        @ParameterizedTest
        @ValueSource(ints = {5, 64})
        void areSpreadEvenly(int count) {
            List<BucketId> buckets = buckets(count);
            int perBucket = 1_000;

            Map<Integer, Long> homes = keys(count * perBucket)
                    .map(key -> home(buckets, key))
                    .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

            assertEquals(count, homes.size());
            // Five standard deviations of a fair draw.
            double most = 5 * Math.sqrt(perBucket);
            homes.forEach((bucketNo, keys) -> assertTrue(
                    Math.abs(keys - perBucket) < most, "bucket " + bucketNo + " is the home of " + keys + " keys"));
        }

        @ParameterizedTest
        @ValueSource(ints = {5, 63})
        void moveOnlyToTheBucketThatComes(int count) {
            List<BucketId> before = buckets(count);
            List<BucketId> after = buckets(count + 1);
            int keys = 10_000;

            List<Integer> moved = keys(keys)
                    .filter(key -> home(before, key) != home(after, key))
                    .map(key -> home(after, key))
                    .toList();

            assertEquals(List.of(count + 1), moved.stream().distinct().toList());
            double fair = keys / (count + 1.0);
            assertTrue(
                    moved.size() > fair / 2 && moved.size() < fair * 1.5,
                    moved.size() + " keys moved, fair are " + fair);
        }

        @Test
        void moveOnlyFromTheBucketThatGoes() {
            List<BucketId> before = buckets(5);
            List<BucketId> after =
                    before.stream().filter(bucket -> bucket.bucketNo() != 3).toList();

            keys(10_000).forEach(key -> {
                List<Integer> walk = walk(before, key);
                assertEquals(walk.get(0) == 3 ? walk.get(1) : walk.get(0), home(after, key));
            });
        }
    }
}
