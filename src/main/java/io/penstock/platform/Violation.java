package io.penstock.platform;

/** One field that is outside its limits. */
public record Violation(String field, String message) {}
