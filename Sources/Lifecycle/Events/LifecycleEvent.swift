// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A notification whose user info has a type.
///
/// Conform your own types to it:
///
///     struct KeysRotated: LifecycleEvent {
///         static let name = LifecycleNotification.Name("com.example.keysRotated")!
///         var generation: Int64
///         …
///     }
public nonisolated protocol LifecycleEvent: Sendable {
    /// The notification.
    static var name: LifecycleNotification.Name { get }

    /// Decodes the user info; nil when it does not fit the type.
    init?(userInfo: UserInfo)

    /// The user info, in the process and on the socket.
    var userInfo: UserInfo { get }
}

/// The user info of a notification does not fit the type that the listener asked for.
public nonisolated struct LifecycleEventError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The notification.
    public let name: LifecycleNotification.Name
    /// Its user info.
    public let userInfo: UserInfo

    /// The problem, with the keys of the user info.
    public var description: String {
        "user info of '\(name)' does not fit its type, it has \(userInfo.keys.sorted().joined(separator: ", "))"
    }
}
