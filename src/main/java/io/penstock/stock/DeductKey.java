package io.penstock.stock;

import java.util.regex.Pattern;

/**
 * 扣减请求唯一 key: the order number, the identity of one deduction within a SKU. 1–64 of {@code A-Z a-z 0-9 _ . : -}, the first
 * a letter or digit; case matters.
 *
 * @throws InvalidValue for anything else
 */
public record DeductKey(String value) implements Comparable<DeductKey> {

    private static final Pattern ALPHABET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}");

    public DeductKey {
        if (!ALPHABET.matcher(value).matches()) {
            throw new InvalidValue("must be 1 to 64 of A-Z a-z 0-9 _ . : -, the first a letter or digit");
        }
    }

    @Override
    public int compareTo(DeductKey other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
