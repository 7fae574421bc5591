package io.penstock.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.platform.Api.Answer;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is wrong with a request: it changes nothing, and its client is told what is wrong, and nothing else. */
@QuarkusTest
class BadInputTest {

    private static final long SKU = Api.newSkuId();
    private static final String SKU_PATH = "/v1/skus/" + SKU;
    private static final String NEW_SKU_PATH = "/v1/skus/" + Api.newSkuId();
    private static final String DEDUCTIONS = SKU_PATH + "/deductions";
    private static final String ADJUSTMENTS = SKU_PATH + "/adjustments";
    private static final String ROLLBACK = DEDUCTIONS + "/order-1/rollback";
    private static final String HUGE = "1" + "0".repeat(400);
    private static final String TEXT_129 = "a".repeat(129);

    @Inject
    DataSource ledger;

    private JsonNode before;

    @BeforeEach
    void define() {
        Answer defined = Api.put(SKU_PATH, "{\"skuCode\":\"SKU_A\",\"total\":100,\"buckets\":2}");
        assertTrue(Set.of(200, 201).contains(defined.status()), defined.text());
        before = Api.view(SKU);
    }

    @AfterEach
    void nothingChanged() throws SQLException {
        assertEquals(before, Api.view(SKU));
        assertEquals(0, rows("stock_deduct_flow"));
        assertEquals(0, rows("stock_adjustment"));
        Api.get(NEW_SKU_PATH).problem(ProblemType.UNKNOWN_SKU);
    }

    private long rows(String table) throws SQLException {
        try (Connection connection = ledger.getConnection();
                PreparedStatement count =
                        connection.prepareStatement("SELECT COUNT(*) FROM " + table + " WHERE sku_id = ?")) {
            count.setLong(1, SKU);
            try (ResultSet result = count.executeQuery()) {
                result.next();
                return result.getLong(1);
            }
        }
    }

    /** Values that are no integer at all, or none within any limit. Some are not JSON either. */
    private static final List<String> NO_INTEGERS = List.of(
            "1.0",
            "\"1\"",
            "1e2",
            "true",
            "null",
            "[1]",
            "{}",
            "9223372036854775808",
            "-9223372036854775809",
            HUGE,
            "-" + HUGE);

    private static final List<String> NOT_JSON =
            List.of("NaN", "Infinity", "-Infinity", "01", "+1", "0x1", "1_000", "");

    @Nested
    class ANumberInTheBody {

        @ParameterizedTest(name = "{0} {1}={3}")
        @MethodSource("io.penstock.platform.BadInputTest#wrongNumbers")
        void isRefusedByItsName(String path, String field, String body, String shown) {
            // When
            Answer answer = path.equals(NEW_SKU_PATH) ? Api.put(path, body) : Api.post(path, body);

            // Then
            answer.violation(field);
        }

        @ParameterizedTest(name = "{0} {2}")
        @MethodSource("io.penstock.platform.BadInputTest#numbersThatAreNotJson")
        void isRefusedWithItsBodyWhereItIsNotJson(String path, String body, String shown) {
            // When
            Answer answer = path.equals(NEW_SKU_PATH) ? Api.put(path, body) : Api.post(path, body);

            // Then
            answer.violation("body");
        }
    }

    private record NumberField(String path, String field, String template, List<String> outside) {
        String body(String value) {
            return template.replace("#", value);
        }
    }

    private static final List<NumberField> NUMBERS = List.of(
            new NumberField(
                    DEDUCTIONS, "qty", "{\"deductKey\":\"order-1\",\"qty\":#}", List.of("0", "-1", "-0", "1000001")),
            new NumberField(
                    ADJUSTMENTS,
                    "delta",
                    "{\"adjustmentKey\":\"r-1\",\"delta\":#}",
                    List.of("0", "-0", "1000000001", "-1000000001")),
            new NumberField(
                    NEW_SKU_PATH,
                    "total",
                    "{\"skuCode\":\"SKU_A\",\"total\":#,\"buckets\":1}",
                    List.of("-1", "1000000001")),
            new NumberField(
                    NEW_SKU_PATH, "buckets", "{\"skuCode\":\"SKU_A\",\"total\":1,\"buckets\":#}", List.of("-1", "65")),
            new NumberField(ROLLBACK, "bucketNo", "{\"bucketNo\":#}", List.of("-1", "10000")));

    static Stream<Arguments> wrongNumbers() {
        return NUMBERS.stream()
                .flatMap(number -> Stream.concat(NO_INTEGERS.stream(), number.outside().stream())
                        // An optional field may be null.
                        .filter(value ->
                                !(value.equals("null") && number.field().equals("bucketNo")))
                        .map(value -> arguments(number.path(), number.field(), number.body(value), shown(value))));
    }

    static Stream<Arguments> numbersThatAreNotJson() {
        return NUMBERS.stream()
                .flatMap(number ->
                        NOT_JSON.stream().map(value -> arguments(number.path(), number.body(value), shown(value))));
    }

    private static String shown(String value) {
        return value.length() > 30 ? value.substring(0, 30) + "…" : value;
    }

    @Nested
    class AStringInTheBody {

        @ParameterizedTest(name = "{0} {1} {3}")
        @MethodSource("io.penstock.platform.BadInputTest#wrongStrings")
        void isRefusedByItsName(String path, String field, String body, String shown) {
            // When
            Answer answer = path.equals(NEW_SKU_PATH) ? Api.put(path, body) : Api.post(path, body);

            // Then
            answer.violation(field);
        }
    }

    /** As JSON literals. */
    private static final List<String> OUTSIDE_EVERY_ALPHABET = List.of(
            "\"\"",
            "\"a{b\"",
            "\"a}b\"",
            "\"a b\"",
            "\"a\\rb\"",
            "\"a\\nb\"",
            "\"a\\n\"",
            "\"a\\u0000b\"",
            "\"订单\"",
            "\"\\u00e9\"",
            "\"\\ud800\"",
            "\"a/b\"",
            "\"a*b\"",
            "\"a'b\"",
            "\"a\\\\b\"",
            "1",
            "true",
            "null",
            "[\"a\"]",
            "{}");

    private static final List<String> NO_KEYS = Stream.concat(
                    OUTSIDE_EVERY_ALPHABET.stream(),
                    Stream.of("\"-a\"", "\"_a\"", "\":a\"", "\".a\"", "\"" + "a".repeat(65) + "\""))
            .toList();

    private static final List<String> NO_CODES = Stream.concat(
                    OUTSIDE_EVERY_ALPHABET.stream(),
                    Stream.of("\"A:B\"", "\"SKU_B12\"", "\"_B1\"", "\"SKU_B1_B2\"", "\"" + "a".repeat(33) + "\""))
            .toList();

    private static final List<String> NO_TEXTS = List.of(
            "\"\"",
            "\"" + "a".repeat(256) + "\"",
            "\"a\\u0000\"",
            "\"a\\n\"",
            "\"\\u007f\"",
            "\"\\u0085\"",
            "\"\\ud800\"",
            "\"\\udc00\\ud800\"",
            "1",
            "true",
            "[]");

    static Stream<Arguments> wrongStrings() {
        return Stream.of(
                        table(DEDUCTIONS, "deductKey", "{\"deductKey\":#,\"qty\":1}", NO_KEYS),
                        table(ADJUSTMENTS, "adjustmentKey", "{\"adjustmentKey\":#,\"delta\":1}", NO_KEYS),
                        table(NEW_SKU_PATH, "skuCode", "{\"skuCode\":#,\"total\":1,\"buckets\":1}", NO_CODES),
                        table(DEDUCTIONS, "userId", "{\"deductKey\":\"order-1\",\"qty\":1,\"userId\":#}", NO_TEXTS),
                        table(DEDUCTIONS, "traceId", "{\"deductKey\":\"order-1\",\"qty\":1,\"traceId\":#}", NO_TEXTS),
                        table(
                                DEDUCTIONS,
                                "userId",
                                "{\"deductKey\":\"order-1\",\"qty\":1,\"userId\":#}",
                                List.of("\"" + TEXT_129 + "\"")),
                        table(ROLLBACK, "reason", "{\"reason\":#}", NO_TEXTS),
                        table(ADJUSTMENTS, "reason", "{\"adjustmentKey\":\"r-1\",\"delta\":1,\"reason\":#}", NO_TEXTS),
                        table(
                                NEW_SKU_PATH,
                                "strategy",
                                "{\"skuCode\":\"A\",\"total\":1,\"buckets\":0,\"strategy\":#}",
                                List.of("\"\"", "\"redis\"", "\"MEMORY\"", "1", "\"REDIS \"")),
                        table(
                                NEW_SKU_PATH,
                                "ordering",
                                "{\"skuCode\":\"A\",\"total\":1,\"buckets\":0,\"ordering\":#}",
                                List.of("\"\"", "\"split\"", "\"PARTIAL\"", "1")))
                .flatMap(table -> table);
    }

    private static Stream<Arguments> table(String path, String field, String template, List<String> values) {
        return values.stream().map(value -> arguments(path, field, template.replace("#", value), shown(value)));
    }

    @Nested
    class ABody {

        @ParameterizedTest(name = "{0} {1} {2}")
        @MethodSource("io.penstock.platform.BadInputTest#wrongBodies")
        void isRefusedUnlessItIsOneJsonObjectInUtf8(String method, String path, String name, byte[] body) {
            // When
            Answer answer = Api.json(method, path, body);

            // Then
            answer.violation("body");
        }

        @ParameterizedTest(name = "{0} {1}")
        @MethodSource("io.penstock.platform.BadInputTest#endpoints")
        void isRefusedForAFieldThatIsNotKnown(String method, String path, String good) {
            // When
            Answer answer = Api.json(method, path, bytes(good.replace("}", ",\"colour\":\"red\"}")));

            // Then
            answer.violation("colour");
        }

        @Test
        void tellsAllThatIsWrongAtOnce() {
            // When
            JsonNode problem = Api.post(DEDUCTIONS, "{\"deductKey\":\"-\",\"qty\":0,\"userId\":\"\",\"x\":1}")
                    .problem(ProblemType.INVALID_REQUEST);

            // Then
            assertEquals(
                    List.of("x", "deductKey", "qty", "userId"),
                    problem.path("violations").findValuesAsText("field"));
        }

        @Test
        void tellsEveryFieldThatIsMissing() {
            // When
            JsonNode problem = Api.put(NEW_SKU_PATH, "{}").problem(ProblemType.INVALID_REQUEST);

            // Then
            assertEquals(
                    List.of("skuCode", "total", "buckets"),
                    problem.path("violations").findValuesAsText("field"));
        }

        @Test
        void ofADatabaseStrategyMayNotHaveBuckets() {
            // When
            Answer answer = Api.put(
                    NEW_SKU_PATH, "{\"skuCode\":\"A\",\"total\":1,\"buckets\":2,\"strategy\":\"DB_CONDITIONAL\"}");

            // Then
            answer.violation("buckets");
        }
    }

    static Stream<Arguments> endpoints() {
        return Stream.of(
                arguments("PUT", NEW_SKU_PATH, "{\"skuCode\":\"SKU_A\",\"total\":1,\"buckets\":1}"),
                arguments("POST", DEDUCTIONS, "{\"deductKey\":\"order-1\",\"qty\":1}"),
                arguments("POST", ADJUSTMENTS, "{\"adjustmentKey\":\"r-1\",\"delta\":1}"),
                arguments("POST", ROLLBACK, "{\"reason\":\"cancelled\"}"));
    }

    static Stream<Arguments> wrongBodies() {
        return endpoints().flatMap(endpoint -> {
            String method = (String) endpoint.get()[0];
            String path = (String) endpoint.get()[1];
            String good = (String) endpoint.get()[2];
            List<Arguments> bodies = new ArrayList<>();
            if (!path.equals(ROLLBACK)) {
                bodies.add(arguments(method, path, "empty", new byte[0]));
            }
            bodies.add(arguments(method, path, "blank", bytes("  \n")));
            bodies.add(arguments(method, path, "array", bytes("[" + good + "]")));
            bodies.add(arguments(method, path, "string", bytes("\"order-1\"")));
            bodies.add(arguments(method, path, "number", bytes("1")));
            bodies.add(arguments(method, path, "null", bytes("null")));
            bodies.add(arguments(method, path, "trailing bytes", bytes(good + "x")));
            bodies.add(arguments(method, path, "trailing NUL", bytes(good + "\0")));
            bodies.add(arguments(method, path, "two objects", bytes(good + good)));
            bodies.add(arguments(method, path, "trailing brace", bytes(good + "}")));
            bodies.add(arguments(method, path, "cut off", bytes(good.substring(0, good.length() - 1))));
            bodies.add(arguments(method, path, "trailing comma", bytes(good.replace("}", ",}"))));
            bodies.add(arguments(method, path, "comment", bytes("/* */" + good)));
            bodies.add(arguments(method, path, "single quotes", bytes(good.replace('"', '\''))));
            bodies.add(arguments(
                    method,
                    path,
                    "duplicate field",
                    bytes("{" + good.substring(1, good.length() - 1) + "," + good.substring(1))));
            bodies.add(arguments(
                    method,
                    path,
                    "1000 levels of arrays",
                    bytes(good.replace("}", ",\"x\":" + "[".repeat(1000) + "]".repeat(1000) + "}"))));
            bodies.add(arguments(
                    method, path, "1000 levels of objects", bytes("{\"x\":".repeat(1000) + "1" + "}".repeat(1000))));
            bodies.add(arguments(method, path, "30000 open brackets", bytes("[".repeat(30_000))));
            bodies.add(arguments(method, path, "byte order mark", bytes("\ufeff" + good)));
            bodies.add(arguments(method, path, "UTF-16", good.getBytes(StandardCharsets.UTF_16)));
            bodies.add(arguments(method, path, "UTF-16LE", good.getBytes(StandardCharsets.UTF_16LE)));
            bodies.add(arguments(
                    method,
                    path,
                    "ISO 8859-1",
                    good.replace("}", ",\"x\":\"\u00e9\"}").getBytes(StandardCharsets.ISO_8859_1)));
            bodies.add(arguments(
                    method,
                    path,
                    "overlong UTF-8",
                    good.replace("}", ",\"x\":\"\u00c0\u00af\"}").getBytes(StandardCharsets.ISO_8859_1)));
            bodies.add(arguments(
                    method,
                    path,
                    "surrogate in UTF-8",
                    good.replace("}", ",\"x\":\"\u00ed\u00a0\u0080\"}").getBytes(StandardCharsets.ISO_8859_1)));
            bodies.add(
                    arguments(method, path, "raw newline in a string", bytes(good.replace("}", ",\"x\":\"a\nb\"}"))));
            return bodies.stream();
        });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Nested
    class ALargeBody {

        private static final int LIMIT = 64 * 1024;

        private static byte[] body(int size) {
            String good = "{\"deductKey\":\"order-1\",\"qty\":0}";
            return bytes(good + " ".repeat(size - good.length()));
        }

        @Test
        void of64KiBIsRead() {
            Api.json("POST", DEDUCTIONS, body(LIMIT)).violation("qty");
        }

        @Test
        void of64KiBInChunksIsRead() {
            Api.send(
                            "POST",
                            DEDUCTIONS,
                            BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body(LIMIT))),
                            "Content-Type",
                            "application/json")
                    .violation("qty");
        }

        @Test
        void thatIsEmptyIsNotWaitedFor() {
            Api.send(
                            "POST",
                            DEDUCTIONS,
                            BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[0])),
                            "Content-Type",
                            "application/json")
                    .violation("body");
        }

        @ParameterizedTest
        @ValueSource(ints = {LIMIT + 1, 65 * 1024, 1024 * 1024})
        void ofMoreIsTooLarge(int size) {
            Api.json("POST", DEDUCTIONS, body(size)).problem(ProblemType.BODY_TOO_LARGE);
        }

        @ParameterizedTest
        @ValueSource(ints = {LIMIT + 1, 65 * 1024, 1024 * 1024})
        void ofMoreInChunksIsTooLarge(int size) {
            Api.send(
                            "POST",
                            DEDUCTIONS,
                            BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body(size))),
                            "Content-Type",
                            "application/json")
                    .problem(ProblemType.BODY_TOO_LARGE);
        }

        @ParameterizedTest(name = "{0} {1}")
        @MethodSource("io.penstock.platform.BadInputTest#endpoints")
        void isTooLargeForEveryEndpoint(String method, String path, String good) {
            Api.json(method, path, body(65 * 1024)).problem(ProblemType.BODY_TOO_LARGE);
        }
    }

    @Nested
    class APath {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "abc",
                    "0",
                    "-1",
                    "01",
                    "1.0",
                    "1e3",
                    "+1",
                    "0x1",
                    "9007199254740992",
                    "99999999999999999999",
                    "%20",
                    "1%20",
                    "1%2f2",
                    "1%00",
                    "1%0d%0a",
                    "%7b1%7d",
                    "%EF%BC%91",
                    "%D9%A1"
                })
        void withoutANumberOfASkuIsRefusedEverywhere(String skuId) {
            String path = "/v1/skus/" + skuId;
            Api.get(path).violation("skuId");
            Api.put(path, "{\"skuCode\":\"SKU_A\",\"total\":1,\"buckets\":1}").violation("skuId");
            Api.post(path + "/warm-up").violation("skuId");
            Api.post(path + "/adjustments", "{\"adjustmentKey\":\"r-1\",\"delta\":1}")
                    .violation("skuId");
            Api.post(path + "/deductions", "{\"deductKey\":\"order-1\",\"qty\":1}")
                    .violation("skuId");
            Api.get(path + "/deductions/order-1").violation("skuId");
            Api.post(path + "/deductions/order-1/rollback").violation("skuId");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "%00",
                    "a%00",
                    "a%0d%0ab",
                    "%7ba%7d",
                    "a%2fb",
                    "a%20b",
                    "%20",
                    "-a",
                    "_a",
                    "%E8%AE%A2",
                    "%C3%28",
                    "%ED%A0%80",
                    "a*b",
                    "a+b",
                    "a%25"
                })
        void withoutADeductKeyIsRefused(String key) {
            Api.get(DEDUCTIONS + "/" + key).violation("deductKey");
            Api.post(DEDUCTIONS + "/" + key + "/rollback").violation("deductKey");
        }

        @ParameterizedTest
        @ValueSource(ints = {65, 1000, 3000})
        void withALongKeyIsRefused(int length) {
            String key = "a".repeat(length);
            Api.get(DEDUCTIONS + "/" + key).violation("deductKey");
            Api.post(DEDUCTIONS + "/" + key + "/rollback").violation("deductKey");
        }

        @Test
        void beyondTheServersLimitIsRefusedBeforeAnybodyReadsIt() {
            // When
            String answer = Api.raw("GET", DEDUCTIONS + "/" + "a".repeat(100_000));

            // Then
            assertTrue(answer.contains(" 414 "), answer);
        }

        @ParameterizedTest
        @ValueSource(strings = {"/v1/skus/%zz", "/v1/skus/1%", "/v1/skus/{1}", "/v1/skus/1/deductions/%e"})
        void thatIsNoUriIsRefusedByTheServer(String target) {
            // When
            String answer = Api.raw("GET", target);

            // Then
            assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
        }

        @Test
        void withASemicolonIsRefusedAndNotCutOffThere() {
            Api.get("/v1/skus/1;a=b").violation("path");
            Api.get(DEDUCTIONS + "/order-1;a=b").violation("path");
            Api.post(DEDUCTIONS + "/order-1;a=b/rollback").violation("path");
        }
    }

    @Nested
    class AQuery {

        @ParameterizedTest
        @ValueSource(strings = {"0", "1001", "abc", "-1", "1.0", "01", "99999999999", "%00"})
        void withAnotherLimitIsRefused(String limit) {
            Api.get("/v1/skus?limit=" + limit).violation("limit");
        }

        @ParameterizedTest
        @ValueSource(strings = {"0", "abc", "-1", "1.0", "9007199254740992", "%0d%0a"})
        void afterWhatNoPageEndedWithIsRefused(String after) {
            Api.get("/v1/skus?after=" + after).violation("after");
        }
    }

    @Nested
    class AMediaType {

        private static final String GOOD = "{\"deductKey\":\"order-1\",\"qty\":0}";

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "text/plain",
                    "application/xml",
                    "application/x-www-form-urlencoded",
                    "multipart/form-data; boundary=x",
                    "application/jsonp",
                    "json"
                })
        void thatIsNotJsonIsNotSupported(String type) {
            Api.send("POST", DEDUCTIONS, BodyPublishers.ofString(GOOD), "Content-Type", type)
                    .problem(ProblemType.UNSUPPORTED_MEDIA_TYPE);
        }

        @Test
        void thatIsMissingIsNotSupported() {
            Api.send("POST", DEDUCTIONS, BodyPublishers.ofString(GOOD)).problem(ProblemType.UNSUPPORTED_MEDIA_TYPE);
            Api.send("POST", ROLLBACK, BodyPublishers.ofString("{\"reason\":\"x\"}"))
                    .problem(ProblemType.UNSUPPORTED_MEDIA_TYPE);
        }

        @Test
        void ofNoBodyIsPassedOver() {
            // When
            String answer = Api.raw("POST", SKU_PATH + "/warm-up", "Content-Type: text/plain");

            // Then
            assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
            assertTrue(
                    Api.raw("POST", DEDUCTIONS, "Content-Type: text/plain").startsWith("HTTP/1.1 400 "),
                    "a body that must be there is missing");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"application/json", "application/json;charset=utf-8", "Application/JSON; charset=UTF-8"})
        void thatIsJsonIsRead(String type) {
            Api.send("POST", DEDUCTIONS, BodyPublishers.ofString(GOOD), "Content-Type", type)
                    .violation("qty");
        }

        @ParameterizedTest
        @ValueSource(strings = {"application/json", "*/*", "application/json, text/plain;q=0.5"})
        void ofTheAnswerIsAProblemWhateverIsAccepted(String accept) {
            Api.send(
                            "POST",
                            DEDUCTIONS,
                            BodyPublishers.ofString(GOOD),
                            "Content-Type",
                            "application/json",
                            "Accept",
                            accept)
                    .violation("qty");
        }

        @Test
        void ofProblemsAloneIsNoWayToSell() {
            Api.get(SKU_PATH, "Accept", "application/problem+json").problem(ProblemType.NOT_ACCEPTABLE);
            Api.send(
                            "POST",
                            DEDUCTIONS,
                            BodyPublishers.ofString("{\"deductKey\":\"order-1\",\"qty\":1}"),
                            "Content-Type",
                            "application/json",
                            "Accept",
                            "application/problem+json")
                    .problem(ProblemType.NOT_ACCEPTABLE);
        }

        @Test
        void thatNobodyOffersIsNotAcceptable() {
            Api.get(SKU_PATH, "Accept", "application/xml").problem(ProblemType.NOT_ACCEPTABLE);
            Api.get("/v1/export/redis-stock", "Accept", "application/json").problem(ProblemType.NOT_ACCEPTABLE);
        }
    }

    @Nested
    class AnAddress {

        @ParameterizedTest
        @ValueSource(
                strings = {"/nope", "/v1", "/v1/nope", "/v1/skus/1/nope", "/v2/skus", "/problems/nope", "/problems"})
        void thatNothingHasIsNotFound(String path) {
            Api.get(path).problem(ProblemType.NOT_FOUND);
        }

        @Test
        void isToldAsItWasAsked() {
            // When
            JsonNode problem = Api.get("/v1/skus/a%0d%0ab?x=1").violation("skuId");

            // Then
            assertEquals("/v1/skus/a%0d%0ab", problem.path("instance").textValue());
        }

        @Test
        void refusesOtherMethods() {
            Api.send("DELETE", SKU_PATH, BodyPublishers.noBody()).problem(ProblemType.METHOD_NOT_ALLOWED);
            Api.send("PATCH", SKU_PATH, BodyPublishers.ofString("{}"), "Content-Type", "application/json")
                    .problem(ProblemType.METHOD_NOT_ALLOWED);
            Api.get(ADJUSTMENTS).problem(ProblemType.METHOD_NOT_ALLOWED);
            Api.post("/v1/skus", "{}").problem(ProblemType.METHOD_NOT_ALLOWED);
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "DELETE | /v1/skus                                   | GET, HEAD, OPTIONS",
                    "PATCH  | /v1/skus/1001                              | GET, HEAD, OPTIONS, PUT",
                    "DELETE | /v1/skus/1001/deductions                   | OPTIONS, POST",
                    "PUT    | /v1/skus/1001/deductions                   | OPTIONS, POST",
                    "POST   | /v1/skus/1001/deductions/order-1           | GET, HEAD, OPTIONS",
                    "DELETE | /v1/skus/1001/deductions/order-1           | GET, HEAD, OPTIONS",
                    "GET    | /v1/skus/1001/deductions/order-1/rollback  | OPTIONS, POST",
                    "DELETE | /v1/compensations/1001/order-1/retry       | OPTIONS, POST"
                })
        void namesTheMethodsThatAreAllowed(String method, String path, String allowed) {
            // When
            Answer answer = Api.send(method, path, BodyPublishers.noBody());

            // Then
            answer.problem(ProblemType.METHOD_NOT_ALLOWED);
            assertEquals(allowed, answer.header("Allow"));
        }

        @Test
        void answersHeadLikeGetWithoutABody() {
            // When
            Answer head = Api.send("HEAD", SKU_PATH, BodyPublishers.noBody());

            // Then
            assertEquals(200, head.status());
            assertEquals("", head.text());
            assertEquals(
                    404, Api.send("HEAD", NEW_SKU_PATH, BodyPublishers.noBody()).status());
        }

        @Test
        void answersOptionsWithWhatItTakes() {
            // When
            Answer options = Api.send("OPTIONS", SKU_PATH, BodyPublishers.noBody());

            // Then
            assertTrue(options.status() == 200 || options.status() == 204, options.text());
            assertTrue(options.header("Allow").contains("PUT"), options.header("Allow"));
        }
    }

    @Nested
    class TheStatus422 {

        @Test
        void isForAReusedKeyAlone() {
            assertNotEquals(
                    422,
                    Api.post(DEDUCTIONS, "{\"deductKey\":\"order-1\",\"qty\":-5}")
                            .status());
            assertFalse(Api.get("/q/openapi?format=json").text().contains("Unprocessable"));
        }
    }
}
