// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// What a descriptor is ready for, or is watched for (epoll_ctl(2)).
public nonisolated struct DescriptorEvents: OptionSet, Sendable {
    /// The bits of epoll_ctl(2).
    public let rawValue: UInt32

    /// Events by the bits of epoll_ctl(2).
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `EPOLLIN`: there is something to read, or to accept.
    public static let readable = Self(rawValue: EPOLLIN.rawValue)
    /// `EPOLLOUT`: a write would not block.
    public static let writable = Self(rawValue: EPOLLOUT.rawValue)
    /// `EPOLLPRI`: an exceptional condition, as pressure stall files and cgroup files report it.
    public static let priority = Self(rawValue: EPOLLPRI.rawValue)
    /// `EPOLLHUP`: the peer is gone. Always watched.
    public static let hangUp = Self(rawValue: EPOLLHUP.rawValue)
    /// `EPOLLERR`: an error is pending. Always watched.
    public static let error = Self(rawValue: EPOLLERR.rawValue)
    /// `EPOLLET`: report changes, not states.
    public static let edgeTriggered = Self(rawValue: EPOLLET.rawValue)
}
