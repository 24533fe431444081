// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The broker, as the view of a fleet uses it.
@MainActor
protocol ViewBroker: FleetBroker {
    /// Subscribes to topics, now and in each later connection.
    func subscribe(_ topics: [String])

    /// Ends subscriptions.
    func unsubscribe(_ topics: [String])
}
