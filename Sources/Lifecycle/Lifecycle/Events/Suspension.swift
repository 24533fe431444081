// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The user info of `didResume`: the process was suspended without notice, and runs again.
public nonisolated struct Suspension: LifecycleEvent, Equatable {
    /// What ended or caused it.
    public enum Cause: String, Sendable, CaseIterable {
        /// SIGCONT without a pause before it. The kernel does not say whether the process was stopped, for example by
        /// SIGSTOP.
        case signal
        /// The freezer of its control group (`systemctl freeze`).
        case freezer
        /// The sleep of the machine.
        case sleep
    }

    /// What ended or caused it.
    public var cause: Cause
    /// How long it lasted; nil for a signal.
    public var duration: Duration?
    /// Whether the duration was measured; otherwise it is an upper bound.
    public var isExact: Bool

    /// A suspension that has ended.
    public init(_ cause: Cause, duration: Duration? = nil, isExact: Bool = true) {
        self.cause = cause
        self.duration = duration
        self.isExact = isExact
    }

    /// `didResume`
    public static let name = LifecycleNotification.Name.didResume

    /// Reads `cause`, `durationUsec` and `durationIsExact`.
    public init?(userInfo: UserInfo) {
        guard case .string(let text) = userInfo["cause"], let cause = Cause(rawValue: text) else { return nil }
        self.init(
            cause, duration: userInfo.duration("durationUsec"), isExact: userInfo["durationIsExact"] != false)
    }

    /// `cause`; with a duration also `durationUsec` and `durationIsExact`.
    public var userInfo: UserInfo {
        var userInfo: UserInfo = ["cause": .string(cause.rawValue)]
        if let duration {
            userInfo["durationUsec"] = .int(duration.signedMicroseconds)
            userInfo["durationIsExact"] = .bool(isExact)
        }
        return userInfo
    }
}
