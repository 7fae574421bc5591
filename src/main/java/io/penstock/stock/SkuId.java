package io.penstock.stock;

/**
 * The number of a SKU, 1 … 9007199254740991: every JSON client reads it without loss.
 *
 * @throws InvalidValue outside these limits
 */
public record SkuId(long value) implements Comparable<SkuId> {

    public static final long MAX = 9_007_199_254_740_991L;

    public SkuId {
        if (value < 1 || value > MAX) {
            throw new InvalidValue("must be an integer between 1 and " + MAX);
        }
    }

    /** Reads the digits of a path segment; anything but plain digits is refused, signs and leading zeros too. */
    public static SkuId parse(String digits) {
        if (!digits.matches("[1-9][0-9]{0,15}")) {
            throw new InvalidValue("must be an integer between 1 and " + MAX);
        }
        return new SkuId(Long.parseLong(digits));
    }

    @Override
    public int compareTo(SkuId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
