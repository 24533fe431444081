// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What became of the states of all listeners, when they were encoded or decoded.
public nonisolated struct RestorationReport: Sendable, Equatable {
    /// One listener's part.
    public struct Item: Sendable, Equatable {
        /// The listener's restoration identifier.
        public let identifier: String
        /// The listener's name.
        public let listener: String
        /// What became of its state.
        public let outcome: RestorationOutcome
    }

    /// Each listener's part, in the order in which they were added.
    public let items: [Item]
    /// The identifiers in the archive that no listener has, in order. Encoding leaves none.
    public let unclaimed: [String]

    /// What became of the state with this identifier; nil when no listener has it.
    public subscript(identifier: String) -> RestorationOutcome? {
        items.first { $0.identifier == identifier }?.outcome
    }

    /// What was refused, as «NAME: REASON».
    public var problems: [String] {
        items.compactMap { item in item.outcome.reason.map { "\(item.listener): \($0)" } }
    }
}

/// What became of one listener's state.
public nonisolated enum RestorationOutcome: Sendable, Equatable {
    /// It is in the archive.
    case stored
    /// The listener has it back.
    case restored
    /// The archive has none: the listener starts clean.
    case absent
    /// It is not in the archive, or the listener does not have it back and starts clean, for this reason.
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
