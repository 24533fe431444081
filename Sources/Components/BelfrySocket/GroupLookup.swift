// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryJSON
package import BelfryListeners
internal import BelfrySystemd
internal import Glibc
package import Lifecycle

/// Finds the number of a group. It never blocks the loop: a directory server that is away may answer after minutes.
///
/// A number, and a name in /etc/group, is found at once. Any other name is looked up on a thread, one at a time.
package final class GroupLookup {
    /// Searches the databases of nsswitch.conf(5), and may block. Nil if there is no such group.
    package typealias Database = @Sendable (_ name: String) -> UInt32?

    /// How long a start or a reload waits.
    package static let limit = Duration.seconds(5)
    private let clock: any LifecycleClock
    private let log: ServiceLog
    private let database: Database
    /// What the database has found. It is not asked again: the server may be away at the next reload.
    private var found: [String: UInt32] = [:]
    /// The last name that was asked for, until it is answered.
    private var wanted: (name: String, apply: (UInt32?) -> Void)?
    private var isAsking = false
    /// Runs while an answer would be in time.
    private var timer: (any LifecycleTimer)?
    private var waiting: [() -> Void] = []

    package init(_ clock: any LifecycleClock, _ log: ServiceLog, _ database: @escaping Database) {
        (self.clock, self.log, self.database) = (clock, log, database)
    }

    /// Calls `apply` at once with the number, nil if it is not known, and then again with the answer.
    package func find(_ name: String, _ apply: @escaping (UInt32?) -> Void) {
        let known = UInt32(name) ?? Self.local(name) ?? found[name]
        wanted = known == nil ? (name, apply) : nil
        apply(known)
        endWait()
        guard known == nil else { return }
        timer = clock.schedule(after: Self.limit) { [weak self, log] in
            log.write(
                .warning, "no answer about group '\(name)' in 5 s, its members are not privileged until there is one",
                .configurationDoubt)
            self?.endWait()
        }
        ask()
    }

    /// Calls `then` when the last name is answered, or its time is over.
    package func whenAnswered(_ then: @escaping () -> Void) {
        if timer == nil { then() } else { waiting.append(then) }
    }

    private func ask() {
        guard !isAsking, let name = wanted?.name else { return }
        isAsking = true
        WorkerThread.run { [database] in
            database(name)
        } then: { [weak self] number in
            guard let self else { return }
            isAsking = false
            guard let wanted, wanted.name.hasSameBytes(as: name) else { return ask() }
            self.wanted = nil
            found[name] = number
            if timer == nil {
                let end: RecordText = number == nil ? "not found, a reload looks it up again" : "found"
                log.write(.notice, "group '\(name)' " + end, .configurationDoubt)
            }
            wanted.apply(number)
            endWait()
        }
    }

    private func endWait() {
        timer?.cancel()
        timer = nil
        let ended = waiting
        waiting = []
        for then in ended { then() }
    }

    private static func local(_ name: String) -> UInt32? {
        guard let file = fopen("/etc/group", "re") else { return nil }
        defer { fclose(file) }
        while let entry = fgetgrent(file)?.pointee { if strcmp(entry.gr_name, name) == 0 { return entry.gr_gid } }
        return nil
    }

    /// Searches those of this system (getgrnam_r(3)).
    package nonisolated static func search(_ name: String) -> UInt32? {
        // Room for the names of the members, of which what is not used takes no memory.
        var buffer = [CChar](unsafeUninitializedCapacity: 4 << 20) { $1 = $0.count }
        var (entry, result) = (group(), nil as UnsafeMutablePointer<group>?)
        getgrnam_r(name, &entry, &buffer, buffer.count, &result)
        return result?.pointee.gr_gid
    }
}
