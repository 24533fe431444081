// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The outcome of encoding or decoding the states of all listeners.
public nonisolated struct RestorationReport: Sendable, Equatable {
    /// The outcome for one listener.
    public struct Item: Sendable, Equatable {
        /// The listener's restoration identifier.
        public let identifier: String
        /// The listener's name.
        public let listener: String
        /// The outcome.
        public let outcome: RestorationOutcome
    }

    /// The outcome for each listener, in the order in which they were added.
    public let items: [Item]
    /// The identifiers in the archive that no listener has, sorted. Empty after encoding.
    public let unclaimed: [String]

    /// The outcome for this identifier; nil if no listener has it.
    public subscript(identifier: String) -> RestorationOutcome? {
        items.first { $0.identifier == identifier }?.outcome
    }

    /// The refusals, as «NAME: REASON».
    public var problems: [String] {
        items.compactMap { item in item.outcome.reason.map { "\(item.listener): \($0)" } }
    }
}

/// The outcome for one listener's state.
public nonisolated enum RestorationOutcome: Sendable, Equatable {
    /// It is in the archive.
    case stored
    /// The listener has restored it.
    case restored
    /// The archive has no state for the listener.
    case absent
    /// It was not stored, or not restored, for this reason.
    case refused(String)

    /// The word that stands for it in the journal and on the socket.
    public var word: String {
        switch self {
        case .stored: "stored"
        case .restored: "restored"
        case .absent: "absent"
        case .refused: "refused"
        }
    }

    /// The reason of a refusal.
    public var reason: String? { if case .refused(let reason) = self { reason } else { nil } }
}
