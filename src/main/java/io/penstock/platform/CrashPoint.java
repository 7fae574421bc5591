package io.penstock.platform;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Steps after which a process that dies leaves work half done. A fault campaign names one by the system property {@value #POINT}; the process then ends there as
 * by {@code kill -9}, at the pass that {@value #PASS} counts. Otherwise a pass compares two constants, and nothing happens.
 */
public enum CrashPoint {
    /** Redis holds the units; nobody else knows of the key. */
    AFTER_SCRIPT,
    /** A bucket away from home holds the units, and home points to it; Kafka does not know. */
    AFTER_SPILL,
    /** The record is on its way to Kafka. */
    BEFORE_KAFKA_ACK,
    /** Kafka has the deductions; no client has been answered. */
    AFTER_KAFKA_ACK,
    /** The ledger has the batch; its outcomes are owed. */
    AFTER_LEDGER_COMMIT,
    /** All that follows from the batch is done; Kafka would deliver it again. */
    BEFORE_OFFSET_COMMIT,
    /** The ledger has a rollback and owes its credit. */
    BEFORE_CREDIT,
    /** Redis has the credit; the ledger says that it is owed. */
    AFTER_CREDIT,
    /** The ledger's epoch is raised and the bucket is claimed; nothing is staged. */
    AFTER_CLAIM,
    /** A bucket is staged, and not in place. */
    BEFORE_FINISH,
    /** Redis has given units to a transfer; the ledger has not moved them. */
    AFTER_WITHDRAWAL,
    /** The ledger has moved a transfer's units; Redis has not been given them. */
    BEFORE_DEPOSIT,
    /** Redis has a transfer's units; the ledger says that it is open. */
    AFTER_DEPOSIT;

    public static final String POINT = "penstock.crash.point";
    public static final String PASS = "penstock.crash.pass";

    /** As a shell reports a process that SIGKILL ended. */
    public static final int EXIT_CODE = 137;

    private static final CrashPoint ARMED =
            System.getProperty(POINT) == null ? null : valueOf(System.getProperty(POINT));
    private static final AtomicInteger PASSES_LEFT = new AtomicInteger(Integer.getInteger(PASS, 1));

    public void pass() {
        if (this == ARMED && PASSES_LEFT.decrementAndGet() == 0) {
            System.err.println("crash point " + this);
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
