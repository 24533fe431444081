// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryLinux
package import BelfryListeners
internal import BelfrySystemd

/// The recent notifications, from which a client that connects again gets those that it missed.
///
/// They are in a memory file, which the service manager stores. A notification is added before it is sent, so that the
/// next process has all that any client has seen, also after a restart, an upgrade and a `kill -9`. `SubscriberList`
/// sends them.
package final class RetainedNotifications {
    /// The least number that is retained, whatever `ReplayMax=` is: a subscription finds all that one turn of the loop
    /// posts.
    private static let minimumCapacity = 512

    @exclusivity(unchecked)  // nothing calls out while it is changed
    private(set) var ring: NotificationRing
    private let file: RingFile
    private let store: SocketStore
    private let log: ServiceLog
    /// Whether the file is that of the last process.
    private let isStored: Bool
    /// The number of the last notification of the last process; nil when its memory is not used.
    package let lastSequence: UInt64?

    /// Opens the memory of the last process, or makes a new one and logs why.
    ///
    /// - Parameters:
    ///   - parameters: how much is retained.
    ///   - bootID: memory from another boot is not used.
    ///   - store: what the service manager handed over.
    ///   - log: gets the reason when the memory of the last process is not used.
    /// - Throws: `SystemError` when there is no memory, or when the system failed to open that of the last process,
    ///   which stays stored for the next one.
    package init(_ parameters: SocketParameters, bootID: String, store: SocketStore, log: ServiceLog) throws {
        self.store = store
        self.log = log
        let capacity = Self.capacity(parameters.socket.replayMax)
        let size = RingFile.wholePages(parameters.socket.replaySize)
        let old = try Self.open(store, bootID: bootID, capacity: capacity, log)
        lastSequence = old?.ring.last
        if let old, old.file.ringSize == size {
            (file, ring, isStored) = (old.file, old.ring, true)
            return
        }
        file = try RingFile(ringSize: size, bootID: bootID)
        ring = file.ring(capacity: capacity)
        isStored = false
        guard let old else { return }
        ring.clear(after: old.ring.oldest - 1)
        var cursor = old.ring.begin
        while let record = old.ring.record(at: cursor) {
            ring.append(name: record.name, message: record.message)
            cursor = record.end
        }
    }

    private static func open(
        _ store: SocketStore, bootID: String, capacity: Int, _ log: ServiceLog
    ) throws -> (file: RingFile, ring: NotificationRing)? {
        guard let descriptor = store.removeRing() else { return nil }
        do {
            let file = try RingFile(opening: descriptor, bootID: bootID)
            var ring = file.ring(capacity: capacity)
            try ring.check()
            return (file, ring)
        } catch {
            if let error = error as? SystemError, error.isSystemFailure { throw error }
            report("\(error)", to: log)
            return nil
        }
    }

    private static func report(_ reason: String, to log: ServiceLog) {
        log.write(.warning, "unable to use the notifications that the last process retained: \(reason)", .retention)
    }

    private static func capacity(_ replayMax: Int) -> Int { max(replayMax, minimumCapacity) }

    /// Sets how many notifications are retained from now on, as far as there is room for their bytes.
    func setLimit(_ limit: Int) { ring.capacity = Self.capacity(limit) }

    /// Prepares the memory for notifications after number `last`.
    func begin(after last: UInt64) {
        guard ring.last != last else { return }
        if lastSequence != nil { Self.report("the last ones are missing", to: log) }
        ring.clear(after: last)
    }

    /// Stores the memory, so that the next process gets it.
    func save() { store.store(ring: file.descriptor, replacingOthers: !isStored) }

    /// Adds the notification that follows the last one, as it is sent.
    func append(name: String, message: UnsafeRawBufferPointer) { ring.append(name: name, message: message) }
}
