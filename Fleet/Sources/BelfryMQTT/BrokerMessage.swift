// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A message to or from a broker.
package nonisolated struct BrokerMessage: Sendable, Equatable {
    /// The longest message that is received, and that `BrokerConnection` publishes, with its topic, in bytes.
    package static let sizeLimit = 1 << 20

    /// The topic, without wildcards.
    package var topic: String
    /// What it says. An empty retained message deletes the one that the broker has.
    package var payload: [UInt8]
    /// To publish: the broker keeps it for those who subscribe later. Received: the broker had kept it.
    package var isRetained: Bool
    /// To publish: the broker drops it when it could not deliver it in this time, in whole seconds. Received: nil.
    package var expiry: Duration?

    package init(topic: String, payload: [UInt8], isRetained: Bool = false, expiry: Duration? = nil) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.expiry = expiry
    }

    var size: Int { topic.utf8.count + payload.count }

    /// `expiry` in the whole seconds of the protocol, rounded up.
    var expirySeconds: UInt32? {
        guard let (seconds, rest) = expiry?.components else { return nil }
        return UInt32(clamping: max(seconds, 0) + (seconds < UInt32.max && rest > 0 ? 1 : 0))
    }
}
