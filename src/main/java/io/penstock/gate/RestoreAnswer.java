package io.penstock.gate;

/** What a bucket answered to a credit. */
public enum RestoreAnswer {
    /** The units are back, now. */
    RESTORED(1),
    /** They were back before: nothing was given again. */
    RESTORED_BEFORE(0),
    /** Neither in the history nor among the tombstones. */
    UNKNOWN(-1),
    /** The bucket is not loaded: still owed. */
    NOT_LOADED(-2);

    private final int number;

    RestoreAnswer(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    static RestoreAnswer of(int number) {
        return switch (number) {
            case 1 -> RESTORED;
            case 0 -> RESTORED_BEFORE;
            case -1 -> UNKNOWN;
            case -2 -> NOT_LOADED;
            default -> throw new IllegalArgumentException("no restore answer " + number);
        };
    }
}
