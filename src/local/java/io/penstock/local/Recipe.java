package io.penstock.local;

import java.io.IOException;
import java.nio.file.Path;

/** How to run one kind of server. Recipes hold no state. */
interface Recipe {

    /** In the server's folder: a file for servers whose port says nothing to create when they are up. Removed before a start. */
    String UP = "up";

    /** Unpacks the server's program into the user's cache. Slow only the first time, and says so. */
    void unpack(ServerOptions options) throws IOException;

    /**
     * Writes what the server needs into its folder.
     *
     * @return the shell lines that start it with the folder as working directory; the last one is an {@code exec}, so that
     *     the server takes the shell's place and its process id
     */
    String prepare(Path folder, int port, ServerOptions options) throws IOException;

    /** Whether the server takes requests now. Asked again and again after a start. */
    boolean answers(Path folder, int port);

    /** One word of a shell command, whatever is in it. */
    static String quoted(Object word) {
        return "'" + word.toString().replace("'", "'\\''") + "'";
    }
}
