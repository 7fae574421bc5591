package io.penstock.stock;

/**
 * 分桶: one slice of a SKU's stock, which is one Redis slot and one ledger row. Number 0 is the only bucket of an unbucketed SKU.
 *
 * @throws InvalidValue for a number outside 0 … 9999
 */
public record BucketId(SkuId skuId, SkuCode skuCode, int bucketNo) {

    public static final int MAX_NUMBER = 9_999;

    public BucketId {
        number(bucketNo);
    }

    /** A bucket's number alone, checked. */
    public static int number(long number) {
        if (number < 0 || number > MAX_NUMBER) {
            throw new InvalidValue("must be an integer between 0 and " + MAX_NUMBER);
        }
        return (int) number;
    }

    /** The hash tag of the bucket's Redis keys: {@code 1001-SKU_A_B3}, or {@code 1001-SKU_A} for bucket 0. */
    public String tag() {
        String sku = skuId.value() + "-" + skuCode.value();
        return bucketNo == 0 ? sku : sku + "_B" + bucketNo;
    }

    @Override
    public String toString() {
        return tag();
    }
}
