// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A notification whose user info does not fit the type that was asked for.
public nonisolated struct LifecycleEventError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The notification.
    public let name: LifecycleNotification.Name
    /// What came with it.
    public let userInfo: UserInfo

    /// What is wrong, with the keys that came.
    public var description: String {
        "user info of '\(name)' does not fit its type, it has \(userInfo.keys.sorted().joined(separator: ", "))"
    }
}
