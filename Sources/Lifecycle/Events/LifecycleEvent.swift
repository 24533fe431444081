// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A notification whose user info has a type.
///
/// Your own types join in by the same protocol:
///
///     struct KeysRotated: LifecycleEvent {
///         static let name = LifecycleNotification.Name("com.example.keysRotated")!
///         var generation: Int64
///         …
///     }
public nonisolated protocol LifecycleEvent: Sendable {
    /// The notification.
    static var name: LifecycleNotification.Name { get }

    /// Reads what travelled with it; nil when that does not fit.
    init?(userInfo: UserInfo)

    /// What travels with it, in the process and over the socket.
    var userInfo: UserInfo { get }
}

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
