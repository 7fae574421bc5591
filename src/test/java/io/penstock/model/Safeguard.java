package io.penstock.model;

/** What can be taken away from the protocol, why it is there, and the smallest of the sales that breaks without it. */
enum Safeguard {
    LEDGER_FIRST(
            Sale.COMPETITION,
            "Given back to Redis first, a unit could be sold twice while the ledger still has it as sold."),
    CANCELLED_ROW(
            Sale.RETRIES,
            "A rollback that comes first must leave a row, or the late deduction is sold although it was cancelled."),
    TOMBSTONES(
            Sale.RETRIES,
            "A finished key must be refused, or a late retry takes units for a deduction that was cancelled."),
    DEDUCT_IS_IDEMPOTENT(Sale.RETRIES, "A retry of a deducted key must take nothing more."),
    OUTCOME_IS_OWED(
            Sale.OUTCOMES, "An outcome not written with its flow is lost when the process dies after the commit."),
    ANSWER_AFTER_KAFKA(
            Sale.FAIL_OVER,
            "What is accepted before Kafka has it is lost with the Redis write that was not replicated."),
    STRAYS_GO_BACK(Sale.SPILLED, "An entry whose flow says otherwise holds units that nobody bought."),
    STRAY_LEAVES_A_POINTER(
            Sale.SPILLED, "A key that is sold in another bucket is alive: a tombstone would call it finished."),
    ORPHANS_SETTLE_FORWARD(
            Sale.TWO_BUCKETS,
            "What the ledger does not know yet may be on its way: cancelling it loses an accepted deduction."),
    POINTER_BEFORE_KAFKA(
            Sale.SPILLED,
            "Without its pointer home does not know an accepted key, and a retry is refused or sold again."),
    HOME_IS_ASKED(
            Sale.SPILLED,
            "Only home knows for sure whether a key was deducted; a walk that begins elsewhere sells it again."),
    REPAY_ONLY_WHAT_IS_MISSING(
            Sale.WIPED,
            "A loaded bucket has counted a rolled-back flow already: repaid, its unit would be there twice."),
    LOAD_AFTER_THE_FENCE(Sale.WIPED, "A load that does not wait for the backlog puts units on sale that are sold."),
    LOAD_FINISHES_ITS_CLAIM(
            Sale.WIPED_TWICE,
            "A loader that wakes up late would put old units into a bucket that another load has claimed."),
    OLD_EPOCH_IS_ADOPTED(
            Sale.WIPED,
            "A deduction sent after the fence by a process that slept is in no load: its unit would be on sale."),
    ADOPT_ENDS_A_CLAIM(
            Sale.WIPED, "A load that read the ledger before such a deduction settled must not end: it would miss it."),
    LOADED_BUCKET_TAKES_ON_THE_EPOCH(
            Sale.TWO_LOADERS,
            "A loader that comes late has raised the ledger's epoch: a transfer that compares the two never ends."),
    MOVE_ONCE(Sale.MERGE, "A step of a transfer that is repeated must move nothing more."),
    MOVE_IN_ITS_EPOCH(
            Sale.MERGE_WIPED,
            "A load undoes what was withdrawn before it: a step of an older epoch moves units that are not there."),
    LOAD_KNOWS_OPEN_MOVES(
            Sale.MERGE_WIPED,
            "The ledger's units include a transfer that Redis has not got: deposited after the load it would come twice."),
    RECOUNT_ONLY_UNMOVED(Sale.CALIBRATION, "A deduction between look and recount would be counted as unsold."),
    RECOUNT_NOT_WHILE_MOVING(
            Sale.CALIBRATION_WHILE_MERGING, "While units are on their way the ledger's allotment is not the bucket's."),
    CALIBRATE_BEFORE_REJECTED_GO_BACK(
            Sale.REJECTIONS,
            "A rejection says that Redis is ahead: units that go back at once are sold and rejected again."),
    ORPHANS_FIT_EXACTLY(
            Sale.FORGED,
            "Only entries that explain the whole difference were written by no script; others hold units."),
    ORPHANS_COUNT_BEFORE_THEY_SETTLE(
            Sale.FORGED,
            "Sent to the ledger while the book does not count it, an orphan could still be removed by a resolver that slept."),
    ORPHANS_REMOVED_ONLY_UNMOVED(
            Sale.FORGED, "Between look and removal an orphan may have settled: without its entry its units are lost."),
    CLOSE_THE_LEDGER_FIRST(
            Sale.PAUSED, "A load that reads the ledger between the two would open a bucket whose pause was answered."),
    LOADER_READS_STATE_AGAIN(
            Sale.PAUSED,
            "A pause between the load's look and its end finds no bucket to close, and the load opens it."),
    LOADER_LEAVES_A_RIGHT_STATE(
            Sale.PAUSED, "A loader that opens what is open already, late, opens a bucket that was paused meanwhile."),
    GIVE_THE_LEDGER_FIRST(Sale.GIVING, "Units deposited before the ledger has them are sold and then rejected."),
    TAKE_FROM_THE_GATE_FIRST(Sale.TAKING, "Units that leave the ledger first are still on sale in Redis."),
    TOO_FEW_GO_BACK(Sale.TAKING, "What was withdrawn in vain must be deposited again, or nobody can buy it."),
    ONE_LOG_A_KEY(
            Sale.ORDERED, "Read apart, a rollback may be consumed before the deduction that was accepted before it.");

    private final Sale sale;
    private final String why;

    Safeguard(Sale sale, String why) {
        this.sale = sale;
        this.why = why;
    }

    Sale sale() {
        return sale;
    }

    String why() {
        return why;
    }
}
