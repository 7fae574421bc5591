package io.penstock.model;

import io.penstock.compensation.BackgroundWork;
import io.penstock.deduction.AcceptedLog;
import io.penstock.gate.Gate;
import io.penstock.ledger.AdjustmentLedger;
import io.penstock.ledger.CompensationLedger;
import io.penstock.ledger.FlowLedger;
import io.penstock.ledger.OutcomeLedger;
import io.penstock.ledger.SkuLedger;
import io.penstock.settlement.HeldMessages;
import io.penstock.sku.Adjustments;
import io.penstock.sku.Calibration;
import io.quarkus.arc.Unremovable;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/**
 * The parts of the service that the model is compared with: each call is one script, or one transaction. And those that bring to rest what a walk has left.
 */
@Singleton
@Unremovable
class RealParts {

    @Inject
    Gate gate;

    @Inject
    FlowLedger flows;

    @Inject
    SkuLedger skus;

    @Inject
    AdjustmentLedger adjustments;

    @Inject
    CompensationLedger debts;

    @Inject
    OutcomeLedger outcomes;

    @Inject
    HeldMessages messages;

    @Inject
    AcceptedLog log;

    @Inject
    Adjustments adjusting;

    @Inject
    BackgroundWork background;

    @Inject
    Calibration calibration;

    @Inject
    Servers servers;
}
