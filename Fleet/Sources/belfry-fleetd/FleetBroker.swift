// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The broker, as the parts of belfry-fleetd use it.
@MainActor
protocol FleetBroker: AnyObject {
    /// Whether it accepts another message now.
    var hasRoom: Bool { get }

    /// Sends a message. It is lost while there is no connection or no room: whoever needs it finds that it is missing and asks.
    ///
    /// - Parameters:
    ///   - isRetained: whether the broker keeps it for later subscribers.
    ///   - expiry: the broker discards it after this time.
    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, expiry: Duration?)
}

extension FleetBroker {
    /// Sends a message that is not retained.
    func publish(_ topic: String, _ payload: [UInt8]) {
        publish(topic, payload, isRetained: false, expiry: nil)
    }
}
