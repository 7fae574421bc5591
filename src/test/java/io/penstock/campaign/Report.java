package io.penstock.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A page of figures on the campaigns of this JVM, in {@code target/campaign/report.md}. */
final class Report {

    private static final Path FILE = Path.of("target", "campaign", "report.md");
    private static final List<Entry> ENTRIES = new ArrayList<>();

    private Report() {}

    /** A fault, and how long all took to work again after it. */
    record Recovery(String fault, Duration time) {}

    /** One campaign. */
    static final class Entry {

        private final String name;
        private final long seed;
        private Duration time;
        private final Map<String, Long> answers = new TreeMap<>();
        private long orders;
        private List<Recovery> recoveries = List.of();
        private List<String> broken = List.of();

        Entry(String name, long seed) {
            this.name = name;
            this.seed = seed;
        }

        void end(Duration time, Sale sale, List<Recovery> recoveries, List<String> broken) {
            this.time = time;
            this.recoveries = recoveries;
            this.broken = broken;
            this.orders = sale.orders().size();
            sale.orders().stream().flatMap(Order::questions).forEach(this::count);
            sale.rearrangements().forEach(this::count);
            sale.adjustments().forEach(adjustment -> count(adjustment.question()));
        }

        private void count(Question question) {
            question.replies()
                    .map(reply -> reply.answer().status())
                    .forEach(status ->
                            answers.merge(question.what() + " " + (status == 0 ? "no answer" : status), 1L, Long::sum));
        }

        private long operations() {
            return answers.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    static synchronized void add(Entry entry) {
        ENTRIES.add(entry);
        try {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text() {
        StringBuilder text = new StringBuilder("# Fault campaigns, ")
                .append(Campaign.isLong() ? "long form" : "short form")
                .append(
                        "\n\n| campaign | seed | time | orders | operations | faults | slowest recovery | violations |\n")
                .append("|---|---:|---:|---:|---:|---:|---:|---:|\n");
        for (Entry entry : ENTRIES) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %d | %s | %d | %d | %d | %s | %d |%n",
                    entry.name,
                    entry.seed,
                    seconds(entry.time),
                    entry.orders,
                    entry.operations(),
                    entry.recoveries.size(),
                    entry.recoveries.stream()
                            .map(Recovery::time)
                            .max(Duration::compareTo)
                            .map(Report::seconds)
                            .orElse(""),
                    entry.broken.size()));
        }
        text.append("\n## Answers\n\n| question and answer | times |\n|---|---:|\n");
        Map<String, Long> answers = new TreeMap<>();
        ENTRIES.forEach(entry -> entry.answers.forEach((answer, times) -> answers.merge(answer, times, Long::sum)));
        answers.forEach((answer, times) ->
                text.append("| ").append(answer).append(" | ").append(times).append(" |\n"));
        text.append("\n## Faults, and the time until all instances sold, settled and gave back again (goal: 30 s)\n\n")
                .append("| fault | times | fastest | slowest |\n|---|---:|---:|---:|\n");
        Map<String, List<Duration>> faults = new TreeMap<>(ENTRIES.stream()
                .flatMap(entry -> entry.recoveries.stream())
                .collect(Collectors.groupingBy(
                        Recovery::fault, Collectors.mapping(Recovery::time, Collectors.toList()))));
        faults.forEach((fault, times) -> text.append("| ")
                .append(fault)
                .append(" | ")
                .append(times.size())
                .append(" | ")
                .append(seconds(times.stream().min(Duration::compareTo).orElseThrow()))
                .append(" | ")
                .append(seconds(times.stream().max(Duration::compareTo).orElseThrow()))
                .append(" |\n"));
        text.append("\n## Violations\n\n");
        ENTRIES.forEach(entry -> entry.broken.forEach(what -> text.append("- ")
                .append(entry.name)
                .append(", seed ")
                .append(entry.seed)
                .append(": ")
                .append(what)
                .append('\n')));
        if (ENTRIES.stream().allMatch(entry -> entry.broken.isEmpty())) {
            text.append("None.\n");
        }
        return text.toString();
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }
}
