package io.penstock.platform;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** JSON from outside, by HTTP or Kafka: UTF-8, one value, no field twice, nested a few levels at most. */
final class StrictJson {

    private static final int MAX_DEPTH = 16;

    static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .build();

    private static final ObjectReader READER = JsonMapper.builder(FACTORY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .readerFor(JsonNode.class);

    private StrictJson() {}

    /** @throws java.nio.charset.CharacterCodingException for bytes that are not UTF-8, another IOException for anything else */
    static JsonNode read(byte[] bytes) throws IOException {
        // As text: from bytes the parser would guess UTF-16 and UTF-32, and let a byte order mark pass. RFC 8259 knows
        // neither.
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(ByteBuffer.wrap(bytes))
                .toString();
        return READER.readValue(text);
    }
}
