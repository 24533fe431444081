// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfry

/// Watches a file descriptor. It does not own the descriptor: close it after the source has ended.
///
/// Source: sd_event_add_io(3).
public final class DescriptorEventSource: LoopSource {
    private let handler: (DescriptorEvents) -> Void

    init(
        _ descriptor: Int32, _ events: DescriptorEvents, on event: OpaquePointer,
        _ handler: @escaping (DescriptorEvents) -> Void
    ) throws(SystemError) {
        self.handler = handler
        super.init()
        let userdata = userdata
        try attach("watch descriptor", "\(descriptor)") {
            sd_event_add_io(event, &$0, descriptor, events.rawValue, Self.callback, userdata)
        }
    }

    /// What is watched for. Setting the same value again makes no system call.
    public var events: DescriptorEvents {
        get {
            var events: UInt32 = 0
            call { sd_event_source_get_io_events($0, &events) }
            return DescriptorEvents(rawValue: events)
        }
        set { call { sd_event_source_set_io_events($0, newValue.rawValue) } }
    }

    private nonisolated static let callback: sd_event_io_handler_t = { _, _, events, userdata in
        fire(DescriptorEventSource.self, userdata, DescriptorEvents(rawValue: events)) { $0.handler($1) }
    }
}

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
    package static let priority = Self(rawValue: EPOLLPRI.rawValue)
    /// `EPOLLHUP`: the peer has closed the connection. Always watched.
    public static let hangUp = Self(rawValue: EPOLLHUP.rawValue)
    /// `EPOLLERR`: an error is pending. Always watched.
    public static let error = Self(rawValue: EPOLLERR.rawValue)
    /// `EPOLLET`: report changes, not states.
    package static let edgeTriggered = Self(rawValue: EPOLLET.rawValue)
}
