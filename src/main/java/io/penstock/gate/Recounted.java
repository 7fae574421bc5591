package io.penstock.gate;

/** How a recount ended. */
public sealed interface Recounted {

    /** Book and stock now follow from the history and the allotment; {@code stockChange} units more, or fewer, are on sale. */
    record Corrected(long stockChange) implements Recounted {}

    /** Something moved since the inspection: look again. */
    record Moved() implements Recounted {}
}
