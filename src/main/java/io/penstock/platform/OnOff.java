package io.penstock.platform;

/** A switch in the configuration; anything but these two stops the start. */
public enum OnOff {
    ON,
    OFF
}
