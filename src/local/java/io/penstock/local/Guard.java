package io.penstock.local;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A process that outlives this JVM by a moment: when the pipe from here to it closes, which the system does however this JVM
 * ends, it kills the servers of one folder and removes the folder. It has a session of its own, so that Ctrl-C in the terminal
 * reaches the JVM alone, and the JVM can still use its servers while it shuts down.
 */
final class Guard {

    // Renaming the folder first settles the race with a server that is just being started: its script writes its pid,
    // then
    // looks whether the folder still has its name (see LocalServer). A pid is only killed if that process works inside
    // the
    // folder: the server may be long dead and its number somebody else's. A killed process can still write for a
    // moment,
    // hence the repeated rm.
    private static final String SCRIPT = """
            while read -r line; do :; done
            closing="$1.closing"
            mv "$1" "$closing" || exit 1
            for file in "$closing"/*/pid; do
                pid=$(cat "$file") || continue
                case $(readlink "/proc/$pid/cwd") in
                    "$closing"/*) kill -s KILL -- "-$pid" ;;
                esac
            done
            cd /
            for attempt in 1 2 3 4 5 6 7 8 9 10; do
                rm -rf "$closing" && break
                sleep 0.2
            done
            """;

    private final Process process;

    private Guard(Process process) {
        this.process = process;
    }

    static Guard over(Path folder) throws IOException {
        return new Guard(new ProcessBuilder("setsid", "sh", "-c", SCRIPT, "penstock-guard", folder.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    long pid() {
        return process.pid();
    }

    /** Ends the servers, and returns when they and their folder are gone. */
    void close() throws IOException, InterruptedException {
        process.getOutputStream().close();
        process.waitFor();
    }
}
