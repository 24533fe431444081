// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
package import BelfrySystemd
internal import CBelfry
internal import Glibc

/// What the socket has in the service manager's descriptor store, and what the manager handed over at the start.
package final class HandoffDescriptors {
    private static let subscriber = "belfry-subscriber-"
    private static let memory = "belfry-state-"
    private static let listener = "belfry-listener"

    /// A subscriber that is not stored yet.
    private struct Pending {
        let descriptor: Int32
        let inode: UInt64
        let since: MonotonicInstant
    }

    /// How many are stored at a time, so that many subscribers do not block the loop.
    private static let batch = 64

    private let manager: ServiceManagerSocket
    private let delay: Duration
    private var pending: [Int: Pending] = [:]
    private var timer: TimerEventSource?
    private var received: [String: [Int32]] = [:]
    /// Whether there is a store, as far as is known.
    private(set) var isAvailable: Bool

    /// - Parameters:
    ///   - received: what the manager handed over. This object owns those that the socket stored.
    ///   - manager: stores descriptors.
    ///   - delay: how long a subscription lasts before it is stored, so that short ones cost the manager nothing.
    package init(_ received: ListenDescriptors, manager: ServiceManagerSocket, delay: Duration = .seconds(1)) {
        self.manager = manager
        self.delay = delay
        isAvailable = manager.hasDescriptorStore
        for (name, descriptor) in received.descriptors where Self.isOurs(name) {
            self.received[name, default: []].append(descriptor)
        }
    }

    /// Whether this is a name under which the socket stores descriptors.
    package static func isOurs(_ name: String) -> Bool {
        name.hasPrefix(subscriber) || name.hasPrefix(memory) || name == listener
    }

    /// Returns the memories that were handed over, for the caller to own.
    func removeMemories() -> [Int32] {
        let names = received.keys.filter { $0.hasPrefix(Self.memory) }
        return names.flatMap { received.removeValue(forKey: $0) ?? [] }
    }

    /// Returns the listening socket that was handed over, for the caller to own, if it has this address and its file still
    /// exists.
    func removeListener(at path: String) -> Int32? {
        guard let descriptor = received[Self.listener]?.first, Self.isListening(descriptor, at: path) else {
            return nil
        }
        received[Self.listener]?.removeFirst()
        if received[Self.listener]?.isEmpty ?? false { received[Self.listener] = nil }
        return descriptor
    }

    private static func isListening(_ descriptor: Int32, at path: String) -> Bool {
        var address = Array(path.utf8CString)
        let isAbstract = path.hasPrefix("@")
        if isAbstract { address[0] = 0 }
        let length = isAbstract ? address.count - 1 : 0
        guard sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, address, length) > 0 else { return false }
        var status = stat()
        return isAbstract || (lstat(path, &status) == 0 && belfry_is_socket(status.st_mode))
    }

    /// Returns the socket of a subscriber that was handed over, for the caller to own. Others of the same name are closed.
    func removeReceivedSubscriber(_ slot: Int, inode: UInt64) -> Int32? {
        var found: Int32?
        for descriptor in received.removeValue(forKey: Self.subscriber + "\(slot)") ?? [] {
            if found == nil, Self.inode(of: descriptor) == inode { found = descriptor } else { close(descriptor) }
        }
        return found
    }

    /// Closes the descriptors that are left, and removes them from the store.
    package func closeRest() {
        for (name, descriptors) in received {
            for descriptor in descriptors { close(descriptor) }
            remove(name)
        }
        received = [:]
    }

    func store(_ memory: HandoffMemory) {
        guard isAvailable else { return }
        isAvailable = store(memory.descriptor, named: Self.name(of: memory)).isUnderWay
    }

    func removeStoredMemories() {
        for generation in 0..<2 { remove(Self.memory + "\(generation)") }
    }

    func remove(_ memory: HandoffMemory) { remove(Self.name(of: memory)) }

    /// Stores a subscriber after the delay.
    func storeSubscriber(_ slot: Int, _ descriptor: Int32, on loop: MainEventLoop) {
        pending[slot] = Pending(descriptor: descriptor, inode: Self.inode(of: descriptor), since: .now)
        guard timer == nil else { return }
        timer = try? loop.timer(after: delay) { [unowned self] in storeDue() }
        if timer == nil { storePending() }
    }

    /// Stores all subscribers that are not stored yet.
    func storePending() {
        for (slot, subscriber) in pending { store(subscriber, in: slot) }
        pending = [:]
        timer = nil
    }

    private func storeDue() {
        let now = MonotonicInstant.now
        let due = pending.filter { now - $0.value.since >= delay }.prefix(Self.batch)
        for (slot, subscriber) in due {
            pending[slot] = nil
            store(subscriber, in: slot)
        }
        guard let oldest = pending.values.map(\.since).min() else {
            timer = nil
            return
        }
        // Subscribers in close succession are stored together, and many of them in several batches.
        try? timer?.fire(after: max(delay - (now - oldest), due.count < Self.batch ? delay / 10 : .milliseconds(5)))
    }

    private func store(_ subscriber: Pending, in slot: Int) {
        guard Self.inode(of: subscriber.descriptor) == subscriber.inode else { return }
        store(subscriber.descriptor, named: Self.subscriber + "\(slot)")
    }

    func removeSubscriber(_ slot: Int) {
        if pending.removeValue(forKey: slot) == nil { remove(Self.subscriber + "\(slot)") }
    }

    func storeListener(_ descriptor: Int32) { store(descriptor, named: Self.listener) }

    @discardableResult
    private func store(_ descriptor: Int32, named name: String) -> ServiceManagerSocket.Outcome {
        manager.send([.storeDescriptors(name: name)], descriptors: [descriptor])
    }

    private func remove(_ name: String) { manager.send([.removeDescriptors(name: name)]) }

    private static func name(of memory: HandoffMemory) -> String { Self.memory + "\(memory.generation % 2)" }

    /// The inode of a socket, which no other socket has; 0 when it is unknown.
    static func inode(of descriptor: Int32) -> UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
    }
}
