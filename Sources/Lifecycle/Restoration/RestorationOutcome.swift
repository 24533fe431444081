// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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
