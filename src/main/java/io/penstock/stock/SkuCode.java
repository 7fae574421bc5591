package io.penstock.stock;

import java.util.regex.Pattern;

/**
 * The readable name of a SKU in Redis keys: 1–32 of {@code A-Z a-z 0-9 _ . -}, not ending in {@code _B} and digits, so that
 * no code can move a hash slot or be mistaken for a bucket.
 *
 * @throws InvalidValue for anything else
 */
public record SkuCode(String value) {

    private static final Pattern ALPHABET = Pattern.compile("[A-Za-z0-9_.-]{1,32}");
    private static final Pattern LOOKS_LIKE_A_BUCKET = Pattern.compile(".*_B[0-9]+");

    public SkuCode {
        if (!ALPHABET.matcher(value).matches()) {
            throw new InvalidValue("must be 1 to 32 of A-Z a-z 0-9 _ . -");
        }
        if (LOOKS_LIKE_A_BUCKET.matcher(value).matches()) {
            throw new InvalidValue("must not end in _B and digits, which names a bucket");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
