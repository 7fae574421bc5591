package io.penstock.platform;

import java.util.List;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** One page of a list. {@code next} is the {@code after} of the page that follows; null at the end. */
public record Page<T>(
        List<T> items, @Schema(nullable = true) String next) {

    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1000;

    /** @throws ProblemException 400 for anything but 1 … 1000 */
    public static int limit(String raw) {
        if (raw == null) {
            return DEFAULT_LIMIT;
        }
        return JsonBody.parameter("limit", raw, text -> {
            if (!text.matches("[1-9][0-9]{0,3}") || Integer.parseInt(text) > MAX_LIMIT) {
                throw new IllegalArgumentException("must be an integer between 1 and " + MAX_LIMIT);
            }
            return Integer.parseInt(text);
        });
    }

    /** A full page has, or may have, another behind it. */
    public static <T> Page<T> of(List<T> items, int limit, Function<T, String> cursor) {
        return new Page<>(items, items.size() < limit ? null : cursor.apply(items.get(items.size() - 1)));
    }

    /** The same page of what is made of its items. */
    public <R> Page<R> map(Function<T, R> view) {
        return new Page<>(items.stream().map(view).toList(), next);
    }
}
