package io.penstock.campaign;

import io.penstock.local.LocalServer;
import io.vertx.redis.client.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Redis that lost what it had, or has no room for more. */
final class RedisLosses {

    private static final Duration LASTS = Campaign.isLong() ? Duration.ofSeconds(10) : Duration.ofSeconds(2);
    private static final String DATA = "appendonlydir";

    private final LocalServer server;
    private final PlainRedis redis;

    RedisLosses(LocalServer server, PlainRedis redis) {
        this.server = server;
        this.redis = redis;
    }

    List<Fault> of(long sku) {
        return List.of(
                Fault.of("scripts flushed", Duration.ZERO, () -> redis.send(Command.SCRIPT, "FLUSH"), () -> {}),
                Fault.of("Redis is full", LASTS, this::fill, () -> redis.send(Command.CONFIG, "SET", "maxmemory", 0)),
                Fault.loss("everything flushed", () -> redis.send(Command.FLUSHALL)),
                Fault.loss("a stock key lost", () -> lose(sku, 1, "stock")),
                Fault.loss("a book lost", () -> lose(sku, 2, "book")),
                Fault.loss("a history lost", () -> lose(sku, 3, "deduction_history")),
                new Fault("an older file restored", LASTS, true, this::keepCopy, this::restoreCopy));
    }

    /** Redis may take no byte more than it has. */
    private void fill() throws Exception {
        String memory = redis.send(Command.INFO, "memory").toString();
        String used = memory.lines()
                .filter(line -> line.startsWith("used_memory:"))
                .findFirst()
                .orElseThrow()
                .substring("used_memory:".length());
        redis.send(Command.CONFIG, "SET", "maxmemory", used);
    }

    private void lose(long sku, int bucket, String key) throws Exception {
        redis.send(Command.DEL, Sale.key(sku, bucket, key));
    }

    private void keepCopy() throws IOException {
        copy(server.folder().resolve(DATA), server.folder().resolve("older"));
    }

    /** What was written since then is gone. */
    private void restoreCopy() throws IOException {
        server.kill();
        copy(server.folder().resolve("older"), server.folder().resolve(DATA));
        server.start();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }
}
