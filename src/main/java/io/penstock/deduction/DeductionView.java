package io.penstock.deduction;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.penstock.ledger.Flow;
import io.penstock.ledger.JournalEntry;
import io.penstock.stock.BucketId;
import io.penstock.stock.Credit;
import io.penstock.stock.DeductKey;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A deduction as clients see it. Unknown values are null. */
@Schema(name = "Deduction")
public record DeductionView(
        @Schema(examples = "order-1") String deductKey,
        @Schema(examples = "1001") long skuId,
        @Schema(examples = "3", nullable = true) Integer bucketNo,
        @Schema(examples = "2", nullable = true) Integer qty,
        Status status,

        @Schema(description = "whether the units that went back are in Redis again")
        Credit credit,

        @Schema(description = "of the outcome event; 0 before it is settled", examples = "1")
        int version,

        @Schema(nullable = true) Instant createdAt,
        @Schema(nullable = true) Instant updatedAt,

        @Schema(description = "where a retired bucket's units went", nullable = true)
        Integer movedTo,

        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Schema(description = "with ?journal=true: what happened, oldest first", nullable = true)
        List<Change> journal) {

    /** One line of the journal. */
    @Schema(name = "Change")
    public record Change(
            Instant at,
            @Schema(examples = "DEDUCTED") String change,
            @Schema(examples = "settlement") String by,
            @Schema(nullable = true) String why) {}

    public enum Status {
        /** In Redis and in Kafka, not in the ledger yet. */
        ACCEPTED,
        DEDUCTED,
        REJECTED,
        ROLLED_BACK,
        CANCELLED
    }

    static DeductionView settled(Flow flow) {
        return new DeductionView(
                flow.deductKey().value(),
                flow.skuId().value(),
                flow.bucketNo(),
                flow.qty(),
                switch (flow.status()) {
                    case DEDUCTED -> Status.DEDUCTED;
                    case REJECTED -> Status.REJECTED;
                    case ROLLED_BACK -> Status.ROLLED_BACK;
                    case CANCELLED -> Status.CANCELLED;
                },
                flow.credit(),
                flow.status().version(),
                flow.createdAt(),
                flow.updatedAt(),
                flow.movedTo(),
                null);
    }

    static DeductionView accepted(BucketId bucket, DeductKey deductKey, int qty) {
        return new DeductionView(
                deductKey.value(),
                bucket.skuId().value(),
                bucket.bucketNo(),
                qty,
                Status.ACCEPTED,
                Credit.NONE,
                0,
                null,
                null,
                null,
                null);
    }

    DeductionView withJournal(List<JournalEntry> entries) {
        return new DeductionView(
                deductKey,
                skuId,
                bucketNo,
                qty,
                status,
                credit,
                version,
                createdAt,
                updatedAt,
                movedTo,
                entries.stream()
                        .map(entry -> new Change(entry.at(), entry.change(), entry.by(), entry.why()))
                        .toList());
    }
}
