package io.penstock.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on the loopback address. A free port may be taken by someone else before the server binds it, so a start that fails
 * for this reason is tried again with another one.
 */
public final class Ports {

    // Below the range from which systems give ports to outgoing connections: there, while a server is down, a client
    // that keeps
    // reconnecting to its port can end up connected to itself and keep the port from the server. And low enough for
    // Redis Cluster, whose bus uses port + 10000.
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 22_700;

    private Ports() {}

    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    public static int free() {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new LocalServersFailed(
                "No free port between " + LOWEST + " and " + HIGHEST + " on the loopback address.");
    }
}
