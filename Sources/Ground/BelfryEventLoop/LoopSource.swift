// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// One event source of the loop. It fires until it is cancelled or released. After that its handler is not called, even
/// if an event was pending in the same turn.
///
/// Source: sd_event_source_disable_unref(3).
@MainActor  // see MainEventLoop
public class LoopSource {
    private var pointer: OpaquePointer?

    init() {}

    /// Ends the source. Calling it again does nothing.
    public final func cancel() {
        guard let pointer else { return }
        self.pointer = nil
        sd_event_source_disable_unref(pointer)
    }

    /// Whether the source was cancelled.
    public final var isCancelled: Bool { pointer == nil }

    /// Whether the source fires (sd_event_source_set_enabled(3)). A disabled source can be enabled again.
    public final var isEnabled: Bool {
        get {
            var mode: Int32 = 0
            return call { sd_event_source_get_enabled($0, &mode) } >= 0 && mode != Int32(SD_EVENT_OFF)
        }
        set { call { sd_event_source_set_enabled($0, newValue ? firingMode : Int32(SD_EVENT_OFF)) } }
    }

    /// Sources with a lower number are dispatched first in a turn of the loop; 0 unless set
    /// (sd_event_source_set_priority(3)).
    package final var priority: Int64 {
        get {
            var priority: Int64 = 0
            call { sd_event_source_get_priority($0, &priority) }
            return priority
        }
        set { call { sd_event_source_set_priority($0, newValue) } }
    }

    /// `SD_EVENT_ON`, or `SD_EVENT_ONESHOT` for a source that fires once.
    var firingMode: Int32 { Int32(SD_EVENT_ON) }

    /// The pointer that libsystemd passes to the callback. Unretained: the `cancel` in `deinit` ensures that no
    /// callback outlives the object.
    final var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Keeps the source that `add` makes.
    ///
    /// - Throws: what `add` returned, as «unable to VERB 'OBJECT'».
    final func attach(_ verb: String, _ object: String, _ add: (inout OpaquePointer?) -> Int32) throws(SystemError) {
        var made: OpaquePointer?
        try SystemError.check(add(&made), verb: verb, object: object)
        pointer = made
        isEnabled = true
    }

    /// Calls libsystemd with the source, or answers `-ESTALE` when it has ended.
    @discardableResult
    final func call(_ body: (OpaquePointer) -> Int32) -> Int32 {
        pointer.map(body) ?? -ESTALE
    }

    isolated deinit { cancel() }
}

/// Calls `handler` with the source that a callback belongs to, and with what the callback got. libsystemd calls back
/// only from `MainEventLoop.turn`, so on the main actor; `MainActor.assumeIsolated` would find that out again for each
/// event, with 600 instructions.
@inline(__always)
nonisolated func fire<Source: LoopSource, Event>(
    _: Source.Type, _ userdata: UnsafeMutableRawPointer?, _ event: Event,
    _ handler: @escaping @MainActor (Source, Event) -> Void
) -> Int32 {
    guard let userdata else { return 0 }
    let source = Unmanaged<Source>.fromOpaque(userdata).takeUnretainedValue()
    unsafeBitCast(handler, to: ((Source, Event) -> Void).self)(source, event)
    return 0
}

/// Work for the next turn of the loop. However often `schedule()` was called, it runs once.
///
/// Source: sd_event_add_defer(3).
package final class DeferredEventSource: LoopSource {
    private let handler: () -> Void

    init(on event: OpaquePointer, _ handler: @escaping () -> Void) throws(SystemError) {
        self.handler = handler
        super.init()
        let userdata = userdata
        try attach("defer", "work") { sd_event_add_defer(event, &$0, Self.callback, userdata) }
        isEnabled = false
    }

    /// Runs the work in the next turn of the loop.
    package func schedule() { isEnabled = true }

    override var firingMode: Int32 { Int32(SD_EVENT_ONESHOT) }

    private nonisolated static let callback: sd_event_handler_t = { _, userdata in
        fire(DeferredEventSource.self, userdata, ()) { source, _ in source.handler() }
    }
}
