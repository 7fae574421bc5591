package io.penstock.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A client that sends request after request and reads no answer: its answers must not fill the memory. */
@QuarkusTest
class UnreadAnswersTest {

    private static final int REQUESTS = 1_000;
    private static final String REQUEST = "GET /q/openapi HTTP/1.1\r\nHost: penstock\r\n\r\n";

    @Test
    void closesTheConnectionOnceItsAnswersPileUp() throws Exception {
        try (Socket socket = new Socket()) {
            // Given
            socket.setReceiveBufferSize(4_096);
            socket.connect(new InetSocketAddress("localhost", RestAssured.port));
            socket.setSoTimeout(60_000);

            // When
            CompletableFuture.runAsync(() -> send(socket)).get(60, TimeUnit.SECONDS);

            // Then
            int answers = answers(socket.getInputStream());
            assertTrue(answers < REQUESTS, answers + " answers");
            assertEquals(200, Api.get("/q/health/live").status());
        }
    }

    private static void send(Socket socket) {
        try {
            for (int i = 0; i < REQUESTS; i++) {
                socket.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException closed) {
            // As it should be: the rest is not sent.
        }
    }

    /** Those that were on their way before the end. */
    private static int answers(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            in.transferTo(all);
        } catch (SocketException reset) {
            // It ended.
        }
        return all.toString(StandardCharsets.ISO_8859_1).split("HTTP/1.1 200", -1).length - 1;
    }
}
