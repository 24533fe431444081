// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfry

/// Watches a file or directory for changes. Events of one turn arrive one by one.
///
/// Source: sd_event_add_inotify(3), inotify(7).
package final class InotifyEventSource: LoopSource {
    private let handler: (FileChange) -> Void

    init(
        _ path: String, _ mask: FileChange.Kinds, on event: OpaquePointer, _ handler: @escaping (FileChange) -> Void
    ) throws(SystemError) {
        self.handler = handler
        super.init()
        let userdata = userdata
        try attach("watch", path) {
            sd_event_add_inotify(event, &$0, path, mask.rawValue, Self.callback, userdata)
        }
    }

    private nonisolated static let callback: sd_event_inotify_handler_t = { _, event, userdata in
        guard let event else { return 0 }
        return fire(InotifyEventSource.self, userdata, FileChange(event)) { $0.handler($1) }
    }
}

/// A change that inotify(7) reports.
package nonisolated struct FileChange: Sendable, Equatable {
    /// What happened, or what to watch for.
    package struct Kinds: OptionSet, Sendable {
        /// The bits of inotify(7).
        package let rawValue: UInt32

        /// Changes by the bits of inotify(7).
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// `IN_CLOSE_WRITE`: a file open for writing was closed.
        package static let closedAfterWrite = Self(rawValue: UInt32(IN_CLOSE_WRITE))
        /// `IN_CREATE`: an entry was made in the watched directory.
        package static let created = Self(rawValue: UInt32(IN_CREATE))
        /// `IN_DELETE`: an entry was removed from the watched directory.
        package static let deleted = Self(rawValue: UInt32(IN_DELETE))
        /// `IN_MOVED_FROM`: an entry was renamed away.
        package static let movedFrom = Self(rawValue: UInt32(IN_MOVED_FROM))
        /// `IN_MOVED_TO`: an entry was renamed to here.
        package static let movedTo = Self(rawValue: UInt32(IN_MOVED_TO))
        /// `IN_DELETE_SELF`, `IN_MOVE_SELF`: what is watched is not at its path any more.
        package static let gone = Self(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF))
        /// `IN_Q_OVERFLOW`: the kernel's queue was full, and changes were lost.
        package static let overflow = Self(rawValue: UInt32(IN_Q_OVERFLOW))
    }

    /// What happened.
    package let kinds: Kinds
    /// The entry in the watched directory, or nil when the change is to what is watched itself.
    package let name: String?

    init(_ event: UnsafePointer<inotify_event>) {
        kinds = Kinds(rawValue: event.pointee.mask)
        guard event.pointee.len > 0 else {
            name = nil
            return
        }
        let text = UnsafeRawPointer(event).advanced(by: MemoryLayout<inotify_event>.size)
        name = String(cString: text.assumingMemoryBound(to: CChar.self))
    }
}
