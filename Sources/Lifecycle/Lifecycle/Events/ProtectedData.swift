// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The user info of `protectedDataDidBecomeAvailable`: a file system that the service depends on is mounted.
public nonisolated struct ProtectedDataArrival: LifecycleEvent, Equatable {
    /// Where it is mounted.
    public var path: String

    /// An arrival.
    public init(path: String) { self.path = path }

    /// `protectedDataDidBecomeAvailable`
    public static let name = LifecycleNotification.Name.protectedDataDidBecomeAvailable

    /// Reads `path`.
    public init?(userInfo: UserInfo) {
        guard case .string(let path) = userInfo["path"] else { return nil }
        self.init(path: path)
    }

    /// `path`
    public var userInfo: UserInfo { ["path": .string(path)] }
}

/// The user info of `protectedDataWillBecomeUnavailable`: a file system that the service depends on is no longer
/// mounted. The kernel reports this after the unmount: open files can still be read, but their paths do not exist any
/// more.
public nonisolated struct ProtectedDataLoss: LifecycleEvent, Equatable {
    /// Where it was mounted.
    public var path: String

    /// A loss.
    public init(path: String) { self.path = path }

    /// `protectedDataWillBecomeUnavailable`
    public static let name = LifecycleNotification.Name.protectedDataWillBecomeUnavailable

    /// Reads `path`.
    public init?(userInfo: UserInfo) {
        guard case .string(let path) = userInfo["path"] else { return nil }
        self.init(path: path)
    }

    /// `path`
    public var userInfo: UserInfo { ["path": .string(path)] }
}
