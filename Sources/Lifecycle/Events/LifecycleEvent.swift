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
