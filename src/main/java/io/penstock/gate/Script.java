package io.penstock.gate;

import static io.penstock.gate.BucketKey.BOOK;
import static io.penstock.gate.BucketKey.CLAIM;
import static io.penstock.gate.BucketKey.HISTORY;
import static io.penstock.gate.BucketKey.SPILLS;
import static io.penstock.gate.BucketKey.STAGED;
import static io.penstock.gate.BucketKey.STOCK;
import static io.penstock.gate.BucketKey.TOMBSTONES;

import io.penstock.stock.BucketId;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * The Lua scripts of {@code src/main/resources/lua}: their keys in order, and the answers each can give. The header of the
 * file says the same, and a test compares the two.
 */
enum Script {
    DEDUCT(keys(STOCK, HISTORY, TOMBSTONES, BOOK, SPILLS), 3, 2, 1, 0, -1, 4, 5, 6, 7),
    RESTORE(keys(STOCK, HISTORY, TOMBSTONES, BOOK, SPILLS), 1, 0, -1, -2),
    REPAY(keys(STOCK, HISTORY, TOMBSTONES, BOOK), 1, 0, -2),
    ENTOMB(keys(STOCK, HISTORY, TOMBSTONES, BOOK), 1, 0, -2),
    ADOPT(keys(STOCK, HISTORY, TOMBSTONES, BOOK, CLAIM), 1, 0, -2),
    RECOUNT(keys(STOCK, HISTORY, BOOK), 1, 0),
    BEGIN(keys(STOCK, BOOK, CLAIM, STAGED), 1, 0),
    STAGE(keys(CLAIM, STAGED), 1, 0),
    STAGE_FINISHED(keys(CLAIM, TOMBSTONES), 1, 0),
    FINISH(keys(STOCK, HISTORY, BOOK, CLAIM, STAGED), 1, 0),
    WITHDRAW(keys(STOCK, BOOK), -3),
    DEPOSIT(keys(STOCK, BOOK), -3),
    CLOSE(keys(STOCK, BOOK), 1, 0),
    OPEN(keys(STOCK, BOOK), 1, 0),
    INSPECT(keys(STOCK, HISTORY, BOOK)),
    FIND(keys(STOCK, HISTORY, TOMBSTONES, BOOK, SPILLS)),
    SPILL(keys(SPILLS), 1),
    SCAN(keys(HISTORY)),
    HELD(keys(HISTORY)),
    REMOVE(keys(STOCK, HISTORY, BOOK), 0),
    OLD(keys(TOMBSTONES, SPILLS, BOOK)),
    FORGET(keys(TOMBSTONES, SPILLS, BOOK));

    /** Deductions, or keys, in one call: enough to share the cost of a call, few enough not to hold up Redis. */
    static final int MAX_BATCH = 256;

    private final List<BucketKey> keys;
    private final List<Integer> answers;
    private final String text;
    private final String sha1;

    Script(List<BucketKey> keys, Integer... answers) {
        this.keys = keys;
        this.answers = List.of(answers);
        this.text = assemble(read("lua/" + name().toLowerCase(Locale.ROOT) + ".lua"), read("lua/shared/reading.lua"));
        this.sha1 = sha1(text);
    }

    List<BucketKey> keys() {
        return keys;
    }

    /** The numbers it answers with a meaning of their own. */
    List<Integer> answers() {
        return answers;
    }

    String text() {
        return text;
    }

    String sha1() {
        return sha1;
    }

    /** By digest: the usual call, a few bytes instead of the text. */
    Request bySha1(BucketId bucket, List<String> args) {
        return call(Command.EVALSHA, sha1, bucket, args);
    }

    /** By text, which also caches it on that node: after NOSCRIPT, since the cache is neither replicated nor kept for ever. */
    Request byText(BucketId bucket, List<String> args) {
        return call(Command.EVAL, text, bucket, args);
    }

    private Request call(Command command, String script, BucketId bucket, List<String> args) {
        Request request = Request.cmd(command).arg(script).arg(keys.size());
        for (BucketKey key : keys) {
            request.arg(key.of(bucket));
        }
        for (String arg : args) {
            request.arg(arg);
        }
        return request;
    }

    private static List<BucketKey> keys(BucketKey... keys) {
        return List.of(keys);
    }

    /** The first line tells Redis the engine and stays first; then what the scripts share; then the script. */
    private static String assemble(String script, String shared) {
        int body = script.indexOf('\n') + 1;
        return script.substring(0, body) + shared + "\n" + script.substring(body);
    }

    private static String read(String resource) {
        try (InputStream in = Script.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("missing resource " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }
}
