package io.penstock.local;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What to start, and how.
 *
 * @param kinds the servers wanted
 * @param wellKnownPorts 6379, 3306 and 9092 where they are free, as a person expects; otherwise always other ones
 * @param redis more arguments for {@code redis-server}, e.g. {@code "--maxmemory", "2mb"}
 * @param ledger more arguments for {@code mariadbd}
 * @param kafka more broker settings as {@code name=value}
 * @param progress told what takes long and which ports moved, a line each
 */
public record ServerOptions(
        Set<ServerKind> kinds,
        boolean wellKnownPorts,
        List<String> redis,
        List<String> ledger,
        List<String> kafka,
        Consumer<String> progress) {

    public ServerOptions {
        kinds = Set.copyOf(kinds);
        redis = List.copyOf(redis);
        ledger = List.copyOf(ledger);
        kafka = List.copyOf(kafka);
    }

    public static ServerOptions onFreePorts() {
        return new ServerOptions(
                EnumSet.allOf(ServerKind.class), false, List.of(), List.of(), List.of(), System.out::println);
    }

    public static ServerOptions onWellKnownPorts() {
        return new ServerOptions(
                EnumSet.allOf(ServerKind.class), true, List.of(), List.of(), List.of(), System.out::println);
    }

    public ServerOptions only(ServerKind first, ServerKind... others) {
        return new ServerOptions(EnumSet.of(first, others), wellKnownPorts, redis, ledger, kafka, progress);
    }

    public ServerOptions redis(String... arguments) {
        return new ServerOptions(kinds, wellKnownPorts, plus(redis, arguments), ledger, kafka, progress);
    }

    public ServerOptions ledger(String... arguments) {
        return new ServerOptions(kinds, wellKnownPorts, redis, plus(ledger, arguments), kafka, progress);
    }

    public ServerOptions kafka(String... settings) {
        return new ServerOptions(kinds, wellKnownPorts, redis, ledger, plus(kafka, settings), progress);
    }

    /**
     * The ledger pays for durability as in production: binary log, and log and binary log synced at every commit. Without
     * them one hot row takes 30 times the updates, so a measurement without this option means nothing.
     */
    public ServerOptions durableLedger() {
        return ledger("--log-bin=binlog", "--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1");
    }

    private static List<String> plus(List<String> some, String... more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(List.of(more));
        return all;
    }
}
