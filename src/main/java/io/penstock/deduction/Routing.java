package io.penstock.deduction;

import io.penstock.stock.BucketId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Rendezvous hashing: every bucket has a score for a routing key; the highest is the key's home, and the walk goes down from there. When a
 * bucket comes or goes only the keys that it wins or had won move.
 *
 * <p>The hash is part of the protocol: every instance, of every version, must find the same home.
 */
final class Routing {

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private Routing() {}

    /** The buckets in the order in which a key asks them; its home first. */
    static List<BucketId> walk(List<BucketId> buckets, String routingKey) {
        if (buckets.size() == 1) {
            return buckets;
        }
        long hash = hash(routingKey);
        List<BucketId> walk = new ArrayList<>(buckets);
        walk.sort(Comparator.comparingLong((BucketId bucket) -> score(hash, bucket))
                .reversed()
                .thenComparing(BucketId::bucketNo));
        return walk;
    }

    /** FNV-1a over the UTF-16 units of the key. */
    private static long hash(String key) {
        long hash = FNV_OFFSET;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * FNV_PRIME;
        }
        return hash;
    }

    /** The finisher of SplitMix64 over key and bucket: without it neighbouring bucket numbers would score alike. */
    private static long score(long hash, BucketId bucket) {
        long z = hash + bucket.bucketNo() * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
