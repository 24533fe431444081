// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The outcome of encoding or decoding the states of all listeners.
package nonisolated struct RestorationReport: Sendable, Equatable {
    /// The outcome for one listener.
    package struct Item: Sendable, Equatable {
        /// The listener's restoration identifier.
        package let identifier: String
        /// The listener's name.
        package let listener: String
        /// The outcome.
        package let outcome: RestorationOutcome
    }

    /// The outcome for each listener, in the order in which they were added.
    package let items: [Item]
    /// The identifiers in the archive that no listener has, sorted. Empty after encoding.
    package let unclaimed: [String]

    /// The outcome for this identifier; nil if no listener has it.
    package subscript(identifier: String) -> RestorationOutcome? {
        items.first { $0.identifier == identifier }?.outcome
    }

    /// The refusals, as «NAME: REASON».
    package var problems: [String] {
        items.compactMap { item in item.outcome.reason.map { "\(item.listener): \($0)" } }
    }
}

/// The outcome for one listener's state.
package nonisolated enum RestorationOutcome: Sendable, Equatable {
    /// It is in the archive.
    case stored
    /// The listener has restored it.
    case restored
    /// The archive has no state for the listener.
    case absent
    /// It was not stored, or not restored, for this reason.
    case refused(String)

    /// The word that stands for it in the journal and on the socket.
    package var kind: String {
        switch self {
        case .stored: "stored"
        case .restored: "restored"
        case .absent: "absent"
        case .refused: "refused"
        }
    }

    /// The reason of a refusal.
    package var reason: String? { if case .refused(let reason) = self { reason } else { nil } }
}
