package io.penstock.settlement;

import io.penstock.ledger.SettledBatch;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** What a settled batch leaves to be put right in Redis: strays, and entries of an older epoch. */
@ApplicationScoped
class AfterSettlement {

    Uni<Void> follow(List<DeductMessage.Part> parts, SettledBatch batch) {
        return Uni.createFrom().voidItem();
    }
}
