package io.penstock.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A single Redis with the append-only file synced every second, as production has it. */
final class RedisRecipe implements Recipe {

    private static final String PROGRAM = "redis-server-7.0.15-linux-amd64";

    @Override
    public void unpack(ServerOptions options) throws IOException {
        program(options);
    }

    private static Path program(ServerOptions options) throws IOException {
        return Unpacked.fromJar("Redis 7.0.15", "redis-7.0.15", PROGRAM, "", PROGRAM::equals, options.progress())
                .resolve(PROGRAM);
    }

    @Override
    public String prepare(Path folder, int port, ServerOptions options) throws IOException {
        StringBuilder command = new StringBuilder("exec ").append(Recipe.quoted(program(options)));
        command.append(" --bind 127.0.0.1 --port ").append(port);
        command.append(" --appendonly yes --appendfsync everysec --save ''");
        for (String argument : options.redis()) {
            command.append(' ').append(Recipe.quoted(argument));
        }
        return command.toString();
    }

    @Override
    public boolean answers(Path folder, int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            // While it reads its append-only file it answers -LOADING.
            return socket.getInputStream().read() == '+';
        } catch (IOException notYet) {
            return false;
        }
    }
}
