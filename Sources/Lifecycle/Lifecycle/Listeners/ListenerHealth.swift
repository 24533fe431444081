// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The health of a listener, as it reports it itself.
public nonisolated enum ListenerHealth: Sendable, Equatable {
    /// It can do its work.
    case healthy
    /// Whether it can do its work is not known yet, for this reason.
    case unknown(String)
    /// It cannot do its work at present, and a new process would not help: what is wrong is outside of this one. The
    /// watchdog keep-alive goes on.
    case degraded(String)
    /// It cannot do its work at present. The service sends no watchdog keep-alive while this lasts.
    case unhealthy(String)
    /// It cannot recover in this process. The service triggers the watchdog at once.
    case lost(String)

    /// Its name in the journal and on the socket, without the reason.
    public var kind: String {
        switch self {
        case .healthy: "healthy"
        case .unknown: "unknown"
        case .degraded: "degraded"
        case .unhealthy: "unhealthy"
        case .lost: "lost"
        }
    }

    /// The reason why it is not healthy.
    public var reason: String? {
        switch self {
        case .healthy: nil
        case .unknown(let reason), .degraded(let reason), .unhealthy(let reason), .lost(let reason): reason
        }
    }

    /// Whether it is not known yet.
    package var isUnknown: Bool { if case .unknown = self { true } else { false } }

    /// Whether the watchdog is to end the process.
    package var wantsRestart: Bool {
        switch self {
        case .healthy, .unknown, .degraded: false
        case .unhealthy, .lost: true
        }
    }

    /// The combined health of several listeners: the worst one, with the reasons of all.
    static func combined(_ parts: [ListenerHealthReport]) -> ListenerHealth {
        let reasons = parts.compactMap { part in part.health.reason.map { "\(part.listener): \($0)" } }
        let text = reasons.joined(separator: "; ")
        if parts.contains(where: { if case .lost = $0.health { true } else { false } }) { return .lost(text) }
        if parts.contains(where: \.health.wantsRestart) { return .unhealthy(text) }
        if reasons.isEmpty { return .healthy }
        return parts.contains { $0.health != .healthy && !$0.health.isUnknown } ? .degraded(text) : .unknown(text)
    }
}

/// The health of one listener.
public nonisolated struct ListenerHealthReport: Sendable, Equatable {
    /// The listener's name.
    public let listener: String
    /// Its health.
    public let health: ListenerHealth
}
