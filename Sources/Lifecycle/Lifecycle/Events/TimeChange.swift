// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The user info of `significantTimeChange`: the local time has changed.
public nonisolated enum TimeChange: LifecycleEvent, Equatable {
    /// The clock was set by this step; negative when it was set back.
    case clock(step: Duration)
    /// A day has begun: at midnight, or during a sleep of the machine that has ended now. This is posted only if a
    /// listener or an observer in this process asks for `significantTimeChange` by name.
    case day
    /// The time zone has changed. A zone without a name, such as a copied zone file, is nil.
    case timeZone(from: String?, to: String?)

    /// `significantTimeChange`
    public static let name = LifecycleNotification.Name.significantTimeChange

    /// Decodes `cause` and its values.
    public init?(userInfo: UserInfo) {
        func text(_ key: String) -> String? { if case .string(let text) = userInfo[key] { text } else { nil } }
        switch (userInfo["cause"], userInfo["stepUsec"]) {
        case ("clock", .int(let usec)): self = .clock(step: .microseconds(usec))
        case ("day", _): self = .day
        case ("timeZone", _): self = .timeZone(from: text("previousTimeZone"), to: text("timeZone"))
        default: return nil
        }
    }

    /// `cause`, which is `clock` with `stepUsec`, `day`, or `timeZone` with `previousTimeZone` and `timeZone`.
    public var userInfo: UserInfo {
        switch self {
        case .clock(let step): ["cause": "clock", "stepUsec": .int(step.signedMicroseconds)]
        case .day: ["cause": "day"]
        case .timeZone(let from, let to):
            [
                "cause": "timeZone", "previousTimeZone": from.map { .string($0) } ?? .null,
                "timeZone": to.map { .string($0) } ?? .null,
            ]
        }
    }
}
