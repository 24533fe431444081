// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
package import BelfrySystemd
internal import CBelfry
internal import Glibc

/// What the socket has in the service manager's descriptor store, and what came back of it at the start.
package final class HandoffDescriptors {
    private static let subscriber = "belfry-subscriber-"
    private static let state = "belfry-state-"
    private static let listener = "belfry-listener"

    /// A subscriber that is not stored yet.
    private struct Young {
        let descriptor: Int32
        let inode: UInt64
        let since: MonotonicInstant
    }

    /// How many are stored at a time, so that a crowd does not keep the loop.
    private static let batch = 64

    private let store: DescriptorStore
    private let delay: Duration
    private var young: [Int: Young] = [:]
    private var timer: TimerEventSource?
    private var received: [String: [Int32]] = [:]
    /// Whether there is a store, as far as anybody knows.
    private(set) var isThere: Bool

    /// - Parameters:
    ///   - received: what the manager handed over. What the socket stored among it is this object's from now on.
    ///   - store: where descriptors are kept.
    ///   - delay: how long a subscription lasts before it is stored, so that those that come and go cost the manager
    ///     nothing.
    package init(_ received: ListenDescriptors, store: DescriptorStore, delay: Duration = .seconds(1)) {
        self.store = store
        self.delay = delay
        isThere = store.isThere
        for (name, descriptor) in received.descriptors where Self.isOurs(name) {
            self.received[name, default: []].append(descriptor)
        }
    }

    /// Whether the socket stored what has this name.
    package static func isOurs(_ name: String) -> Bool {
        name.hasPrefix(subscriber) || name.hasPrefix(state) || name == listener
    }

    /// What came back of memories.
    func takeStates() -> [Int32] {
        let names = received.keys.filter { $0.hasPrefix(Self.state) }
        return names.flatMap { received.removeValue(forKey: $0) ?? [] }
    }

    /// The listening socket that came back, if it has this address and its file is still there.
    func takeListener(at path: String) -> Int32? {
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

    /// The socket of a subscriber that came back; others of the same name are closed.
    func takeSubscriber(_ line: Int, inode: UInt64) -> Int32? {
        var found: Int32?
        for descriptor in received.removeValue(forKey: Self.subscriber + "\(line)") ?? [] {
            if found == nil, Self.inode(of: descriptor) == inode { found = descriptor } else { close(descriptor) }
        }
        return found
    }

    /// Closes what nobody has taken, and has it removed from the store.
    package func dropRest() {
        for (name, descriptors) in received {
            for descriptor in descriptors { close(descriptor) }
            store.remove(named: name)
        }
        received = [:]
    }

    func store(_ state: HandoffMemory) {
        guard isThere else { return }
        isThere = store.store([state.descriptor], named: Self.name(of: state)).isUnderWay
    }

    func removeStates() {
        for generation in 0..<2 { store.remove(named: Self.state + "\(generation)") }
    }

    func remove(_ state: HandoffMemory) { store.remove(named: Self.name(of: state)) }

    /// Stores a subscriber once it has lasted.
    func storeSubscriber(_ line: Int, _ descriptor: Int32, on loop: MainEventLoop) {
        young[line] = Young(descriptor: descriptor, inode: Self.inode(of: descriptor), since: .now)
        guard timer == nil else { return }
        timer = try? loop.timer(after: delay) { [unowned self] in storeGrown() }
        if timer == nil { storeYoung() }
    }

    /// Stores the subscribers that were not, before the process ends.
    func storeYoung() {
        for (line, subscriber) in young { storeNow(line, subscriber) }
        young = [:]
        timer = nil
    }

    private func storeGrown() {
        let now = MonotonicInstant.now
        let grown = young.filter { now - $0.value.since >= delay }.prefix(Self.batch)
        for (line, subscriber) in grown {
            young[line] = nil
            storeNow(line, subscriber)
        }
        guard let oldest = young.values.map(\.since).min() else {
            timer = nil
            return
        }
        // Those that follow each other closely are stored together, and a crowd in several batches.
        try? timer?.fire(after: max(delay - (now - oldest), grown.count < Self.batch ? delay / 10 : .milliseconds(5)))
    }

    private func storeNow(_ line: Int, _ subscriber: Young) {
        guard Self.inode(of: subscriber.descriptor) == subscriber.inode else { return }
        store.store([subscriber.descriptor], named: Self.subscriber + "\(line)")
    }

    func removeSubscriber(_ line: Int) {
        if young.removeValue(forKey: line) == nil { store.remove(named: Self.subscriber + "\(line)") }
    }

    func storeListener(_ descriptor: Int32) { store.store([descriptor], named: Self.listener) }

    private static func name(of memory: HandoffMemory) -> String { state + "\(memory.generation % 2)" }

    /// What tells a socket from others; 0 when nobody knows.
    static func inode(of descriptor: Int32) -> UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
    }
}
