package io.penstock.stock;

/**
 * Units of one deduction, 1 … 1 000 000.
 *
 * @throws InvalidValue outside these limits
 */
public record Quantity(int value) {

    public static final int MAX = 1_000_000;

    public Quantity {
        if (value < 1 || value > MAX) {
            throw new InvalidValue("must be an integer between 1 and " + MAX);
        }
    }

    /** The same limits for a number of any size. */
    public static Quantity of(long value) {
        return new Quantity((int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, value)));
    }

    @Override
    public String toString() {
        return Integer.toString(value);
    }
}
