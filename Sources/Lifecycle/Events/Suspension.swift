// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What `didResume` tells: the process had been stopped without notice, and runs again.
public nonisolated struct Suspension: LifecycleEvent, Equatable {
    /// What had stopped it.
    public enum Cause: String, Sendable, CaseIterable {
        /// A stop signal, such as SIGSTOP.
        case signal
        /// The freezer of its control group (`systemctl freeze`).
        case freezer
        /// The sleep of the machine.
        case sleep
    }

    /// What had stopped it.
    public var cause: Cause
    /// For how long.
    public var duration: Duration
    /// Whether the duration was measured; otherwise it is an upper bound.
    public var isExact: Bool
    /// Whether the kernel has shown that the process was suspended. It is false for a stop signal that is only inferred:
    /// the process was continued, and had not run for this long in the midst of its work, but a call that blocked for
    /// as long looks the same.
    public var isCertain: Bool

    /// A suspension that has ended.
    public init(_ cause: Cause, duration: Duration, isExact: Bool, isCertain: Bool = true) {
        self.cause = cause
        self.duration = duration
        self.isExact = isExact
        self.isCertain = isCertain
    }

    /// `didResume`
    public static let name = LifecycleNotification.Name.didResume

    /// Reads `cause`, `durationUsec`, `durationIsExact` and `causeIsCertain`.
    public init?(userInfo: UserInfo) {
        guard case .string(let text) = userInfo["cause"], let cause = Cause(rawValue: text),
            case .int(let usec) = userInfo["durationUsec"]
        else { return nil }
        self.init(
            cause, duration: .microseconds(usec), isExact: userInfo["durationIsExact"] != false,
            isCertain: userInfo["causeIsCertain"] != false)
    }

    /// `cause`, `durationUsec`, `durationIsExact`, and `causeIsCertain` if it is not.
    public var userInfo: UserInfo {
        var userInfo: UserInfo = [
            "cause": .string(cause.rawValue), "durationUsec": .int(duration.signedMicroseconds),
            "durationIsExact": .bool(isExact),
        ]
        if !isCertain { userInfo["causeIsCertain"] = false }
        return userInfo
    }
}
