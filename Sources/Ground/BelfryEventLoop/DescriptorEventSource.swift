// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfry

/// Watches a file descriptor.
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

    /// Owns the descriptor from now on: it is closed when the source has ended.
    func own(_ descriptor: OwnedDescriptor) {
        _ = descriptor.release()
        call { sd_event_source_set_io_fd_own($0, 1) }
    }

    /// The number of the descriptor; -1 after the source has ended.
    public var descriptor: Int32 { max(call { sd_event_source_get_io_fd($0) }, -1) }

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
