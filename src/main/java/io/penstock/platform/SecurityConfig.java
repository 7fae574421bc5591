package io.penstock.platform;

import io.quarkus.arc.Unremovable;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;

@Unremovable // nothing uses it yet, and a wrong value stops the start all the same
@ConfigMapping(prefix = "penstock.security")
interface SecurityConfig {

    /** Whether callers need a key ({@code PENSTOCK_SECURITY}). On unless somebody says otherwise. Accepted, and without effect yet. */
    @WithParentName
    @WithDefault("on")
    OnOff mode();
}
