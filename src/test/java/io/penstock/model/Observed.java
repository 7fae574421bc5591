package io.penstock.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the servers hold of one SKU, as they hold it: keys and rows, past the service.
 *
 * @param gate by bucket
 * @param rows by bucket
 * @param flows by deduct key
 * @param transfers by id
 * @param journal of each deduct key, in order, what changed
 * @param debts {@code kind deduct-key bucket}
 * @param untold deduct keys with an outcome that is still owed
 */
record Observed(
        List<RedisBucket> gate,
        List<BucketRow> rows,
        Map<String, FlowRow> flows,
        Map<String, TransferRow> transfers,
        List<AdjustmentRow> adjustments,
        Map<String, List<String>> journal,
        Set<String> debts,
        Set<String> untold) {

    /** @param stock null if there is no stock key */
    record RedisBucket(
            Long stock,
            Map<String, String> history,
            Map<String, String> book,
            Set<String> tombstones,
            Map<String, String> spills,
            int claim) {

        boolean loaded() {
            return stock != null && book.containsKey("epoch");
        }

        long inBook(String field) {
            return Long.parseLong(book.get(field));
        }

        long units() {
            return history.values().stream().mapToLong(Long::parseLong).sum();
        }
    }

    record BucketRow(long allotted, long available, int epoch, String state) {}

    /** @param bucket its number, 0 for a CANCELLED flow */
    record FlowRow(int bucket, int qty, String status, String credit) {

        boolean soldAt(int bucketNo) {
            return status.equals("DEDUCTED") && bucket == bucketNo;
        }
    }

    record TransferRow(long units, int epoch, String state) {}

    record AdjustmentRow(long delta, String state) {

        /** Its units are in the ledger, or out of it. */
        boolean moved() {
            return delta > 0 || state.equals("TAKEN") || state.equals("DONE");
        }
    }

    long sold(int bucketNo) {
        return soldKeys(bucketNo).stream()
                .mapToLong(key -> flows.get(key).qty())
                .sum();
    }

    Set<String> soldKeys(int bucketNo) {
        return flows.entrySet().stream()
                .filter(flow -> flow.getValue().soldAt(bucketNo))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    long adjusted() {
        return adjustments.stream()
                .filter(AdjustmentRow::moved)
                .mapToLong(AdjustmentRow::delta)
                .sum();
    }
}
