package io.penstock.stock;

/** What a deduction is answered, by the script and by its database twin alike. Operators know the numbers. */
public enum DeductCode {
    /** 扣减成功. */
    DEDUCTED(3),
    /** Deducted, and the bucket is now empty (扣完). */
    DEDUCTED_LAST(2),
    /** The bucket has fewer units than asked for. */
    INSUFFICIENT(1),
    /** The same key with the same quantity was deducted before (幂等). */
    DUPLICATE(0),
    /** There is no stock key: never read as zero. */
    NOT_LOADED(-1),
    /** The same key with another quantity. */
    KEY_REUSED(4),
    /** The key is finished: rolled back, cancelled or rejected. A late retry is refused (防悬挂). */
    FINISHED(5),
    /** Another bucket took the key: ask that one. */
    SPILLED(6),
    /** The bucket is closed to new keys. */
    CLOSED(7);

    private final int number;

    DeductCode(int number) {
        this.number = number;
    }

    /** The number as scripts and clients see it. */
    public int number() {
        return number;
    }

    /** Whether the key holds units after this answer, so that Kafka must know it before the client does. */
    public boolean holdsUnits() {
        return this == DEDUCTED || this == DEDUCTED_LAST || this == DUPLICATE;
    }

    /** @throws IllegalArgumentException for a number that no script answers */
    public static DeductCode of(int number) {
        return switch (number) {
            case 3 -> DEDUCTED;
            case 2 -> DEDUCTED_LAST;
            case 1 -> INSUFFICIENT;
            case 0 -> DUPLICATE;
            case -1 -> NOT_LOADED;
            case 4 -> KEY_REUSED;
            case 5 -> FINISHED;
            case 6 -> SPILLED;
            case 7 -> CLOSED;
            default -> throw new IllegalArgumentException("no deduct code " + number);
        };
    }
}
