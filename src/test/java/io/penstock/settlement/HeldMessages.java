package io.penstock.settlement;

import io.penstock.ledger.Settled;
import io.penstock.ledger.SettledBatch;
import io.penstock.platform.Topic;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.List;

/** For a test that holds the messages itself, and delivers each when and as often as it likes. */
@ApplicationScoped
public class HeldMessages {

    private final AfterSettlement after;

    HeldMessages(AfterSettlement after) {
        this.after = after;
    }

    /**
     * What the settlement does before it commits the offset.
     *
     * @param batch of one deduction
     * @param epoch of the message
     */
    public Uni<Void> follow(SettledBatch batch, long epoch) {
        Settled settled = batch.deductions().get(0);
        var accepted = settled.accepted();
        var deduction = new DeductMessage.Deduction(accepted.deductKey(), accepted.qty(), accepted.traceId());
        var part =
                new DeductMessage.Part(accepted.skuId(), accepted.bucketNo(), epoch, Instant.EPOCH, List.of(deduction));
        return after.follow(Topic.DEDUCT, List.of(part), batch);
    }
}
