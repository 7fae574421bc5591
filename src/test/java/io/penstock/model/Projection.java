package io.penstock.model;

import io.penstock.model.Flow.Credit;
import io.penstock.model.Flow.Status;
import io.penstock.model.Observed.FlowRow;
import io.penstock.model.Observed.RedisBucket;
import io.penstock.model.Observed.TransferRow;
import io.penstock.model.Part.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the servers hold, in the words of the model. The model's key 0 is {@code k0}, its bucket 0 is number 1. */
final class Projection {

    private final Sale sale;
    private final List<Part> parts;

    Projection(Sale sale) {
        this.sale = sale;
        this.parts = sale.initial().ledger().parts();
    }

    static String key(int key) {
        return "k" + key;
    }

    static int bucketNo(int bucket) {
        return bucket + 1;
    }

    static String transferId(Part part) {
        return "adjust/units/" + bucketNo(Math.max(part.from(), part.to()));
    }

    List<Bucket> gate(Observed seen) {
        return seen.gate().stream().map(this::bucket).toList();
    }

    private Bucket bucket(RedisBucket b) {
        int spills = 0;
        for (Map.Entry<String, String> pointer : b.spills().entrySet()) {
            int takenBy = Integer.parseInt(pointer.getValue().split(":")[0]) - 1;
            spills |= takenBy + 1 << 2 * number(pointer.getKey());
        }
        int tombstones = keys(b.tombstones());
        if (!b.loaded()) {
            return new Bucket(false, 0, 0, 0, 0, 0, false, 0, tombstones, spills, b.claim());
        }
        return new Bucket(
                true,
                b.stock().intValue(),
                keys(b.history().keySet()),
                (int) b.inBook("count"),
                (int) b.inBook("allotment"),
                (int) b.inBook("epoch"),
                b.book().get("closed").equals("1"),
                moves(b),
                tombstones,
                spills,
                b.claim());
    }

    private int moves(RedisBucket b) {
        int moves = 0;
        for (int i = 0; i < parts.size(); i++) {
            String id = transferId(parts.get(i));
            moves = recorded(b.book().get(id), new Move(i, false), moves);
            moves = recorded(b.book().get(id + "/back"), new Move(i, true), moves);
        }
        return moves;
    }

    private static int recorded(String record, Move move, int moves) {
        return record == null ? moves : move.record(moves, Math.abs(Integer.parseInt(record.split(":")[0])));
    }

    Ledger ledger(Observed seen) {
        List<Flow> flows = new ArrayList<>();
        int strays = 0;
        for (int key = 0; key < sale.keys(); key++) {
            flows.add(flow(seen.flows().get(key(key))));
            for (int bucket = 0; bucket < sale.buckets(); bucket++) {
                boolean owed = seen.debts().contains("STRAY " + key(key) + " " + bucketNo(bucket));
                strays |= owed ? Ledger.stray(key, bucket) : 0;
            }
        }
        List<LedgerBucket> rows = seen.rows().stream()
                .map(row -> new LedgerBucket(
                        (int) row.allotted(),
                        (int) row.available(),
                        row.epoch(),
                        row.state().equals("OFFLINE")))
                .toList();
        boolean taken =
                seen.adjustments().stream().anyMatch(adjustment -> adjustment.delta() < 0 && adjustment.moved());
        int untold = sale.telling() ? keys(seen.untold()) : 0;
        return new Ledger(
                flows, rows, parts.stream().map(part -> part(part, seen)).toList(), taken, strays, untold);
    }

    /** The same, without what means nothing any more: an epoch is the withdrawal's, and of use until that is decided. */
    static Ledger meaningful(Ledger ledger) {
        return new Ledger(
                ledger.flows(),
                ledger.buckets(),
                ledger.parts().stream()
                        .map(part -> part.step() == Step.STARTED ? part : part.at(part.step(), part.units(), 0))
                        .toList(),
                ledger.taken(),
                ledger.strays(),
                ledger.untold());
    }

    private static Flow flow(FlowRow row) {
        return row == null
                ? Flow.NONE
                : new Flow(Status.valueOf(row.status()), row.bucket() - 1, Credit.valueOf(row.credit()));
    }

    /** The units of a STARTED part are hoped for: none has moved. */
    private static Part part(Part part, Observed seen) {
        TransferRow row = seen.transfers().get(transferId(part));
        if (row == null) {
            return part;
        }
        Step step = Step.valueOf(row.state());
        return step == Step.STARTED ? part.at(step, 0, row.epoch()) : part.at(step, (int) row.units(), 0);
    }

    private static int keys(Set<String> keys) {
        return keys.stream().mapToInt(key -> Bucket.bit(number(key))).sum();
    }

    private static int number(String key) {
        return Integer.parseInt(key.substring(1));
    }
}
