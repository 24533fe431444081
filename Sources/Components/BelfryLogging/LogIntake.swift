// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
package import BelfryListeners
package import BelfrySystemd
internal import Glibc
internal import Synchronization

/// Takes records on any thread for the log of the service, which belongs to the main thread. It has no lock: neither the main
/// thread nor another one waits for the other.
///
/// * *Order.* A record that was added before another one was added or written is written before it, because the log writes
///   what waits here before each record of its own.
/// * *Main thread.* A record that is added on the main thread is written before `add` returns. For a record of another thread
///   the main thread is woken.
/// * *Limit.* Records beyond `RecordLimit` are dropped and counted, and the log says how many.
/// * *Without a log*, before the service runs and after it has ended, a record is written to standard error by the thread that
///   adds it.
package nonisolated final class LogIntake: RecordSource {
    /// That of the service.
    package static let shared = LogIntake()

    /// The address of the record that was added last; `none` for none, `closed` without a log.
    private let last = Atomic<UInt>(LogIntake.closed)
    private let count = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)
    private let level = Atomic<Int32>(JournalRecord.Priority.info.rawValue)
    private let isJSON = Atomic<Bool>(false)
    private let mainThread = Atomic<UInt>(0)
    private let identifier = AtomicLazyReference<Identifier>()
    @MainActor private weak var log: ServiceLog?

    /// Addresses that no record has.
    private static var none: UInt { 0 }
    private static var closed: UInt { 1 }

    /// Makes one without a log.
    package init() {}

    deinit { _ = Self.records(upTo: last.exchange(Self.closed, ordering: .acquiring)) }

    /// The least urgent level that is written.
    package var maximumLevel: JournalRecord.Priority {
        JournalRecord.Priority(rawValue: level.load(ordering: .relaxed)) ?? .debug
    }

    /// Adds a record, unless it is less urgent than the level.
    package func add(_ record: JournalRecord) {
        guard record.priority <= maximumLevel else { return }
        var previous = last.load(ordering: .relaxed)
        guard previous != Self.closed else { return writeDirectly(record) }
        guard reserve(1, record.size) else {
            if dropped.wrappingAdd(1, ordering: .relaxed).oldValue == 0 { wake() }
            return
        }
        let node = Node(record)
        let address = UInt(bitPattern: Unmanaged.passRetained(node).toOpaque())
        while true {
            node.previous = previous
            let exchange = last.compareExchange(
                expected: previous, desired: address, successOrdering: .releasing, failureOrdering: .relaxed)
            if exchange.exchanged { break }
            previous = exchange.original
            guard previous != Self.closed else {
                Self.node(at: address)?.release()
                return writeDirectly(record)
            }
        }
        if UInt(pthread_self()) == mainThread.load(ordering: .relaxed) {
            MainActor.assumeIsolated { log?.writeWhatWaits() }
        } else if previous == Self.none {
            wake()
        }
    }

    /// Whether there is room.
    private func reserve(_ records: Int, _ size: Int) -> Bool {
        let isShort = count.wrappingAdd(records, ordering: .relaxed).newValue <= RecordLimit.records
        let isSmall = bytes.wrappingAdd(size, ordering: .relaxed).newValue <= RecordLimit.bytes
        if isShort, isSmall { return true }
        release(records, size)
        return false
    }

    private func release(_ records: Int, _ size: Int) {
        count.wrappingSubtract(records, ordering: .relaxed)
        bytes.wrappingSubtract(size, ordering: .relaxed)
    }

    private func wake() { MainThreadExecutor.task { [self] in log?.writeWhatWaits() } }

    private func writeDirectly(_ record: JournalRecord) {
        let name = identifier.load()?.text ?? ProcessCommand.of(getpid()) ?? ""
        let format: RecordFormat = isJSON.load(ordering: .relaxed) ? .json : .text
        StandardStreams.error(format.line(record, identifier: name))
    }
}

/// For the log that is connected.
nonisolated extension LogIntake {
    /// See `RecordSource`.
    @MainActor package func connect(to log: ServiceLog, identifier name: String) {
        self.log = log
        mainThread.store(UInt(pthread_self()), ordering: .relaxed)
        _ = identifier.storeIfNil(Identifier(name))
        _ = last.compareExchange(expected: Self.closed, desired: Self.none, ordering: .relaxed)
    }

    /// See `RecordSource`.
    @MainActor package func use(_ level: JournalRecord.Priority, _ format: RecordFormat) {
        self.level.store(level.rawValue, ordering: .relaxed)
        isJSON.store(format == .json, ordering: .relaxed)
    }

    /// See `RecordSource`.
    @MainActor package func take() -> (records: [JournalRecord], dropped: Int)? {
        guard last.load(ordering: .relaxed) != Self.none || dropped.load(ordering: .relaxed) > 0 else { return nil }
        return taken(leaving: Self.none)
    }

    /// See `RecordSource`.
    @MainActor package func end() -> (records: [JournalRecord], dropped: Int) {
        defer { log = nil }
        return taken(leaving: Self.closed)
    }

    private func taken(leaving rest: UInt) -> (records: [JournalRecord], dropped: Int) {
        let records = Self.records(upTo: last.exchange(rest, ordering: .acquiring))
        release(records.count, records.reduce(0) { $0 + $1.size })
        return (records, dropped.exchange(0, ordering: .relaxed))
    }

    /// The records from the first one on; their nodes are released.
    private static func records(upTo last: UInt) -> [JournalRecord] {
        var records: [JournalRecord] = []
        var next = last
        while let node = node(at: next)?.takeRetainedValue() {
            records.append(node.record)
            next = node.previous
        }
        return records.reversed()
    }

    private static func node(at address: UInt) -> Unmanaged<Node>? {
        guard address != closed else { return nil }
        return UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }
}

/// A record that waits, and the address of the one that was added before it.
private nonisolated final class Node {
    let record: JournalRecord
    var previous: UInt = 0

    init(_ record: JournalRecord) { self.record = record }
}

/// A text that is set once.
private nonisolated final class Identifier: Sendable {
    let text: String

    init(_ text: String) { self.text = text }
}
