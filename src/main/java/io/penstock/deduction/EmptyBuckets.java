package io.penstock.deduction;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.penstock.gate.DeductAnswer;
import io.penstock.stock.BucketId;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** What this instance saw of empty buckets a moment ago, so that a sold-out SKU costs one call of Redis, and not one for each bucket. Never asked about a key's home. */
@ApplicationScoped
class EmptyBuckets {

    /** A unit that comes back is sold again everywhere after this. */
    private static final Duration BELIEVED = Duration.ofMillis(100);

    private static final int MOST_KEPT = 100_000;

    private final Cache<BucketId, Long> allotments = Caffeine.newBuilder()
            .maximumSize(MOST_KEPT)
            .expireAfterWrite(BELIEVED)
            .build();

    void saw(BucketId bucket, DeductAnswer answer) {
        if (answer.stock() <= 0) {
            allotments.put(bucket, answer.allotment());
        } else {
            allotments.invalidate(bucket);
        }
    }

    /** The allotment it had when it was seen empty; null if it was not, or too long ago. */
    Long allotment(BucketId bucket) {
        return allotments.getIfPresent(bucket);
    }
}
