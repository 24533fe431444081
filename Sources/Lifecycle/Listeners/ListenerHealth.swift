// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How a listener is, by its own account.
public nonisolated enum ListenerHealth: Sendable, Equatable {
    /// It can do what it is there for.
    case healthy
    /// It cannot, for this reason, and may again: the watchdog is not told that all is well for as long as this lasts.
    case unhealthy(String)
    /// It cannot, for this reason, and never will in this process: the service manager is told to end the service.
    case lost(String)

    /// The word that stands for it in the journal and on the socket.
    public var word: String {
        switch self {
        case .healthy: "healthy"
        case .unhealthy: "unhealthy"
        case .lost: "lost"
        }
    }

    /// Why it is not healthy.
    public var reason: String? {
        switch self {
        case .healthy: nil
        case .unhealthy(let reason), .lost(let reason): reason
        }
    }

    /// How listeners are that are taken for one: as the worst of them, with the reasons of all that are not healthy.
    static func combined(_ parts: [ListenerHealthReport]) -> ListenerHealth {
        let reasons = parts.compactMap { part in part.health.reason.map { "\(part.listener): \($0)" } }
        let text = reasons.joined(separator: "; ")
        if parts.contains(where: { if case .lost = $0.health { true } else { false } }) { return .lost(text) }
        return reasons.isEmpty ? .healthy : .unhealthy(text)
    }
}

/// How one listener is.
public nonisolated struct ListenerHealthReport: Sendable, Equatable {
    /// The listener's name.
    public let listener: String
    /// How it is.
    public let health: ListenerHealth
}
