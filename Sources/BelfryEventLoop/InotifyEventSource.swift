// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import BelfryLinux

/// Watches a file or directory for changes. Events of one turn arrive one by one.
///
/// Source: sd_event_add_inotify(3), inotify(7).
public final class InotifyEventSource: LoopSource {
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
        let change = FileChange(event)
        return fire(InotifyEventSource.self, userdata) { $0.handler(change) }
    }
}
