// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The user info of `didReceiveMemoryWarning`.
public nonisolated struct MemoryWarning: LifecycleEvent, Equatable {
    /// The kind of pressure, as in systemd's PSI thresholds.
    public enum Level: String, Sendable, CaseIterable {
        /// Some tasks wait for memory.
        case some
        /// All tasks wait for memory.
        case full
    }

    /// The kind of pressure.
    public var level: Level

    /// A warning.
    public init(_ level: Level) { self.level = level }

    /// `didReceiveMemoryWarning`
    public static let name = LifecycleNotification.Name.didReceiveMemoryWarning

    /// Decodes `level`, which is `some` if it is missing.
    public init?(userInfo: UserInfo) {
        guard let value = userInfo["level"] else {
            self.init(.some)
            return
        }
        guard case .string(let text) = value, let level = Level(rawValue: text) else { return nil }
        self.init(level)
    }

    /// `level`
    public var userInfo: UserInfo { ["level": .string(level.rawValue)] }
}
