package io.penstock.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Scripts that lack something, until this is closed. Whoever else uses the gate meanwhile lacks it too. */
public final class MutatedScripts implements AutoCloseable {

    /**
     * @param script as its file is called
     * @param part of its text, which must be there once
     */
    public record Mutation(String script, String part, String instead) {}

    private final Map<Script, String> originals = new EnumMap<>(Script.class);

    public MutatedScripts(List<Mutation> mutations) {
        for (Mutation mutation : mutations) {
            Script script = Script.valueOf(mutation.script().toUpperCase(Locale.ROOT));
            String text = script.text();
            int times = text.split(Pattern.quote(mutation.part()), -1).length - 1;
            assertEquals(1, times, () -> script + " should have once: " + mutation.part());
            originals.putIfAbsent(script, text);
            become(script, text.replace(mutation.part(), mutation.instead()));
        }
    }

    @Override
    public void close() {
        originals.forEach(MutatedScripts::become);
    }

    private static void become(Script script, String text) {
        set(script, "text", text);
        set(script, "sha1", sha1(text));
    }

    private static void set(Script script, String name, String value) {
        try {
            Field field = Script.class.getDeclaredField(name);
            field.setAccessible(true);
            field.set(script, value);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
