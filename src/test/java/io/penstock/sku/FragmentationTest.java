package io.penstock.sku;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** 碎片率: the coefficient of variation of the buckets' stock, the standard deviation being that of the whole, not of a sample. */
class FragmentationTest {

    private static final double EXACT = 1e-12;

    static Stream<Arguments> stocks() {
        return Stream.of(
                Arguments.of("no bucket", new long[] {}, 0.0),
                Arguments.of("one bucket", new long[] {7}, 0.0),
                Arguments.of("all empty", new long[] {0, 0, 0}, 0.0),
                Arguments.of("even", new long[] {2000, 2000, 2000, 2000, 2000}, 0.0),
                Arguments.of("one of two empty", new long[] {10, 0}, 1.0),
                Arguments.of("all in one of five", new long[] {5, 0, 0, 0, 0}, 2.0),
                Arguments.of("one and three", new long[] {1, 3}, 0.5),
                Arguments.of("the same in another order", new long[] {3, 1}, 0.5),
                Arguments.of("a thousandfold", new long[] {1_000, 3_000}, 0.5),
                Arguments.of("the largest", new long[] {1_000_000_000, 0}, 1.0),
                Arguments.of("below 0 after lost data", new long[] {-10, 30}, 2.0),
                Arguments.of("together below 0", new long[] {-30, 10}, 0.0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("stocks")
    void isTheStandardDeviationOverTheMean(String situation, long[] stock, double expected) {
        assertEquals(expected, Skus.fragmentation(stock), EXACT);
    }
}
