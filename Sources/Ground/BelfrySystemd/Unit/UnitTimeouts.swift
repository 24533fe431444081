// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The times that the service manager gives the unit (systemd.service(5)). Nil is no limit.
package nonisolated struct UnitTimeouts: Sendable, Equatable {
    /// `TimeoutStartSec=`, for a launch and a reload.
    package var start: Duration?
    /// `TimeoutStopSec=`, for a stop.
    package var stop: Duration?

    package init(start: Duration?, stop: Duration?) {
        self.start = start
        self.stop = stop
    }
}
