// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A last word as it is kept, and as it travels.
nonisolated extension LastWord {
    /// How long a text that came from elsewhere may be.
    private static let textMax = 512

    /// Reads what `userInfo` gives; nil when it is not whole.
    public init?(userInfo: UserInfo) {
        guard let kind = userInfo.text("kind").flatMap({ Kind(rawValue: $0) }),
            let origin = userInfo.object("origin").flatMap({ LifecycleOrigin(userInfo: $0) }),
            let realtimeUsec: UInt64 = userInfo.number("realtimeUsec")
        else { return nil }
        self.init(kind, by: origin, realtimeUsec: realtimeUsec)
        reason = userInfo.text("reason").flatMap { Termination.Reason(rawValue: $0) }
        cutShortBy = userInfo.object("cutShortBy").flatMap { LifecycleOrigin(userInfo: $0) }
        problem = userInfo.text("problem")
        exitStatus = userInfo.number("exitStatus")
        listeners = userInfo.objects("listeners").prefix(Self.listenersMax).compactMap { ListenerTime(userInfo: $0) }
    }

    /// All of it, without what is not known.
    public var userInfo: UserInfo {
        var info: UserInfo = [
            "kind": .string(kind.rawValue), "origin": .object(origin.userInfo),
            "realtimeUsec": .int(Int64(clamping: realtimeUsec)),
        ]
        info["reason"] = reason.map { .string($0.rawValue) }
        info["cutShortBy"] = cutShortBy.map { .object($0.userInfo) }
        info["problem"] = problem.map { .string(String($0.prefix(Self.textMax))) }
        info["exitStatus"] = exitStatus.map { .int(Int64($0)) }
        if !listeners.isEmpty { info["listeners"] = .array(listeners.map { .object($0.userInfo) }) }
        return info
    }
}

nonisolated extension LastWord.ListenerTime {
    init?(userInfo: UserInfo) {
        guard let listener = userInfo.text("listener"), let outcome = userInfo.text("outcome"),
            let usec = userInfo.number("durationUsec", as: Int64.self)
        else { return nil }
        self.init(listener: listener, outcome: outcome, duration: .microseconds(usec))
    }

    var userInfo: UserInfo {
        [
            "listener": .string(listener), "outcome": .string(outcome),
            "durationUsec": .int(duration.signedMicroseconds),
        ]
    }
}
