// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
package import BelfryLinux

/// Watches many descriptors as one source of the loop, and handles ready ones in batches.
///
/// sd-event asks the kernel for all ready descriptors before each event that it dispatches. With thousands of ready
/// descriptors every event is therefore slow. In a group the cost of an event does not depend on their number.
@MainActor  // see MainEventLoop
package final class DescriptorGroup {
    /// Called with the events of a descriptor.
    package typealias Handler = (DescriptorEvents) -> Void

    /// A descriptor in the group. No two are equal.
    package struct Member: Hashable {
        fileprivate let number: UInt64
    }

    /// How many events are handled before other sources of the loop get their turn.
    private static let batch = 256

    /// Called after the handlers of each batch.
    package var onServed: (() -> Void)?

    private let descriptor: Int32
    private let ready: UnsafeMutablePointer<epoll_event>
    private var source: DescriptorEventSource?
    private var handlers: [UInt64: Handler] = [:]
    private var added: UInt64 = 0

    /// A group without members.
    ///
    /// - Throws: when the system has no descriptor or no memory left for it (epoll_create1(2)).
    package init(on loop: MainEventLoop) throws(SystemError) {
        ready = .allocate(capacity: Self.batch)
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .last(verb: "make", object: "epoll descriptor") }
        source = try loop.source(descriptor: descriptor, .readable) { [unowned self] _ in serve() }
    }

    isolated deinit {
        source?.cancel()
        if descriptor >= 0 { close(descriptor) }
        ready.deallocate()
    }

    /// Watches a descriptor until it is removed. Remove it before you close it.
    ///
    /// - Throws: `EPERM` for a descriptor that cannot be watched, `EBADF` for a descriptor that is not open
    ///   (epoll_ctl(2)).
    package func add(
        _ watched: Int32, _ events: DescriptorEvents, _ handler: @escaping Handler
    ) throws(SystemError) -> Member {
        added += 1
        var event = epoll_event(events: events.rawValue, data: epoll_data_t(u64: added))
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0 else {
            throw .last(verb: "watch descriptor", object: "\(watched)")
        }
        handlers[added] = handler
        return Member(number: added)
    }

    /// Changes what a descriptor is watched for.
    ///
    /// - Throws: what epoll_ctl(2) reports. The descriptor is watched as before.
    package func set(_ events: DescriptorEvents, of member: Member, _ watched: Int32) throws(SystemError) {
        var event = epoll_event(events: events.rawValue, data: epoll_data_t(u64: member.number))
        guard epoll_ctl(descriptor, EPOLL_CTL_MOD, watched, &event) == 0 else {
            throw .last(verb: "watch descriptor", object: "\(watched)")
        }
    }

    /// Stops watching a descriptor. Its handler is not called afterwards, even if an event is pending.
    package func remove(_ member: Member, _ watched: Int32) {
        guard handlers.removeValue(forKey: member.number) != nil else { return }
        epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, nil)
    }

    private func serve() {
        // A handler may drop the last reference to the group.
        defer { extendLifetime(self) }
        let count = epoll_wait(descriptor, ready, Int32(Self.batch), 0)
        for index in 0..<Int(max(count, 0)) {
            handlers[ready[index].data.u64]?(DescriptorEvents(rawValue: ready[index].events))
        }
        onServed?()
    }
}
