// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// The watchdog that the unit sets on this process (systemd.service(5), `WatchdogSec=`).
public nonisolated enum Watchdog {
    /// The shortest time that is kept to: a keep-alive every 10 ms. For less the loop would do nothing else.
    public static let shortest: Duration = .milliseconds(20)

    /// Within which time it wants to hear `WATCHDOG=1`, again and again; nil when there is none, or when it is set on
    /// another process (sd_watchdog_enabled(3)).
    public static var timeout: Duration? {
        var usec: UInt64 = 0
        return sd_watchdog_enabled(0, &usec) > 0 ? .microseconds(Int64(clamping: usec)) : nil
    }
}
