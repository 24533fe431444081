// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The times of a connection to a broker. Tests have shorter ones.
package nonisolated struct BrokerTimes: Sendable {
    /// When an attempt that still resolves the name or connects is reported. It goes on: the system ends it.
    package var attempt = Duration.seconds(30)
    /// The time that the broker has for TLS and for its answer to CONNECT.
    package var answer = Duration.seconds(20)
    /// A connection that lasted this long was a success: the next attempt follows soon.
    package var stable = Duration.seconds(10)
    /// The interval at which a connection is checked.
    package var tick = Duration.seconds(1)

    package init() {}
}
