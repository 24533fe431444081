// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How a listener's answer ended.
public nonisolated enum ListenerOutcome: Sendable, Equatable {
    /// It finished.
    case completed
    /// It refused, for this reason.
    case refused(String)
    /// It threw, with this description.
    case failed(String)
    /// It was still working at its deadline.
    case overran

    /// The word that stands for it in the journal and on the socket.
    public var word: String {
        switch self {
        case .completed: "completed"
        case .refused: "refused"
        case .failed: "failed"
        case .overran: "overran"
        }
    }

    /// The reason of a refusal or a failure.
    public var reason: String? {
        switch self {
        case .refused(let reason), .failed(let reason): reason
        case .completed, .overran: nil
        }
    }
}
