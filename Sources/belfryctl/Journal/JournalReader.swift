// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryClient
internal import BelfryLinux
package import BelfrySystemd
internal import Glibc
package import Varlink

/// Reads the notifications of the past from the journal.
@MainActor
package final class JournalReader {
    private let isOfMachine: Bool
    private let journal: SystemJournal

    /// Opens the journal, or that of a directory.
    package init(directory: String? = nil) throws(ControlFailure) {
        isOfMachine = directory == nil
        do throws(SystemError) {
            journal = try SystemJournal(directory.map { .directory($0) } ?? .all)
        } catch {
            throw ControlFailure(error)
        }
    }

    /// The notifications that a query asks for, oldest first. `body` is called for each.
    ///
    /// - Throws: what `body` throws, `ControlFailure` when there is none because the journal may not be read or there is
    ///   no journal.
    package func read(_ query: JournalQuery, _ body: (JSONObject) throws -> Void) throws {
        var isEmpty = true
        do {
            try select(query)
            if let limit = query.limit {
                try skipAllBut(limit, query)
            } else if let since = query.since {
                try journal.seek(realtimeUsec: since)
            } else {
                try journal.seekHead()
            }
            while try journal.next() {
                if let until = query.until, try journal.realtimeUsec > until { break }
                guard let notification = notification() else { continue }
                isEmpty = false
                try body(notification)
            }
            if isEmpty { try checkThatThereIsOne() }
        } catch let error as SystemError {
            throw ControlFailure(error)
        }
    }

    /// How the last transition of a kind went; nil when there is none.
    ///
    /// - Throws: as `read` does.
    package func lastTimeline(of trigger: String, service: JournalService) throws -> JSONObject? {
        do {
            journal.removeMatches()
            try service.select(in: journal)
            try journal.match("BELFRY_TRIGGER", trigger)
            try journal.seekTail()
            guard try journal.previous() else {
                try checkThatThereIsOne()
                return nil
            }
            guard let text = journal.field("BELFRY_TIMELINE"),
                let steps = try? JSONValue(json: Array(text.utf8))
            else { return nil }
            return [
                "trigger": .string(trigger), "realtimeUsec": .int(try journal.realtimeUsec),
                "durationUsec": .int(journal.field("BELFRY_DURATION_USEC").flatMap { Int64($0) } ?? 0),
                "steps": steps,
            ]
        } catch let error as SystemError {
            throw ControlFailure(error)
        }
    }

    /// There is nothing to be shown: it may be there, and out of sight, or there is no journal. Forgets the matches.
    private func checkThatThereIsOne() throws {
        if isOfMachine, SystemJournal.isForbidden() {
            throw ControlFailure(
                .permission, "unable to read 'the journal': permission denied", "root and the group systemd-journal may"
            )
        }
        guard try journal.isEmpty() else { return }
        throw ControlFailure(.unavailable, "unable to read 'the journal': there is none", Self.hint)
    }

    private static let hint = "does systemd-journald run, and may it store anything (journald.conf(5))?"

    private func select(_ query: JournalQuery) throws {
        let boot = try query.boot.map(id)
        journal.removeMatches()
        try query.service.select(in: journal)
        // Of the records with a notification those of listeners are left out one by one: there is no match for absence.
        for name in query.names { try journal.match("BELFRY_NOTIFICATION", name) }
        if let boot { try journal.match("_BOOT_ID", boot) }
    }

    /// Goes back from the end until `limit` notifications are ahead.
    private func skipAllBut(_ limit: Int, _ query: JournalQuery) throws {
        if let until = query.until {
            try journal.seek(realtimeUsec: until.adding(1))
        } else {
            try journal.seekTail()
        }
        var left = limit
        while left > 0 {
            guard try journal.previous() else { return try journal.seekHead() }
            if let since = query.since, try journal.realtimeUsec < since { return }
            if notification() != nil { left -= 1 }
        }
        // The next one is then the first to be shown; before the very first there is none to go back to.
        if limit > 0, try !journal.previous() { try journal.seekHead() }
    }

    private func notification() -> JSONObject? {
        JournalNotification.object(
            journal.fields(JournalNotification.prefix), bootID: journal.field("_BOOT_ID") ?? "")
    }

    /// The id of a boot. The journal must have it, unless it is this one.
    private func id(_ boot: JournalBoot) throws -> String {
        switch boot {
        case .offset(0): return try JournalID.boot().text
        case .offset(let offset):
            let boots = try bootsInOrder()
            if offset < 0, boots.count + offset > 0 { return boots[boots.count - 1 + offset] }
            throw try missing("\(offset)", "the journal has \(boots.count)")
        case .id(let id):
            if try start(of: id.text) != nil { return id.text }
            throw try missing(id.text, "the journal does not have it")
        }
    }

    private func missing(_ boot: String, _ reason: String) throws -> ControlFailure {
        try checkThatThereIsOne()
        return ControlFailure(.usage, "unable to find boot '\(boot)': \(reason)")
    }

    private func bootsInOrder() throws -> [String] {
        let boots = try journal.values(of: "_BOOT_ID").compactMap { id in try start(of: id).map { (id, start: $0) } }
        return boots.sorted { $0.start < $1.start }.map(\.0)
    }

    /// When the first record of a boot was written.
    private func start(of boot: String) throws -> Int64? {
        journal.removeMatches()
        try journal.match("_BOOT_ID", boot)
        try journal.seekHead()
        return try journal.next() ? journal.realtimeUsec : nil
    }
}

/// Which notifications are asked for.
package struct JournalQuery: Sendable, Equatable {
    /// The service that wrote them.
    package var service: JournalService
    /// Only these; all when empty.
    package var names: [String] = []
    /// Not before this, in microseconds of CLOCK_REALTIME.
    package var since: Int64?
    /// Not after this.
    package var until: Int64?
    /// Only of this boot.
    package var boot: JournalBoot?
    /// Only the last so many.
    package var limit: Int?

    /// All notifications of a service.
    package init(service: JournalService) { self.service = service }
}

/// A service whose records are read. Anybody may write records in its name: those count of which journald itself says
/// (systemd.journal-fields(7), «Trusted Journal Fields») that they come from its unit, from root or from whoever asks.
package struct JournalService: Sendable, Equatable {
    private static let suffix = ".service"

    private let name: String
    private let uid: UInt32

    /// The service of this name, as the journal calls it (`SYSLOG_IDENTIFIER`), whose unit is called the same; or that of a
    /// unit (`NAME.service`), whatever it is called itself.
    ///
    /// - Parameter uid: who asks.
    package init(_ name: String, askedBy uid: UInt32 = geteuid()) {
        self.name = name
        self.uid = uid
    }

    /// Leaves only its records in a journal without other matches.
    func select(in journal: SystemJournal) throws(SystemError) {
        if name.hasSuffix(Self.suffix) {
            try journal.match("_SYSTEMD_UNIT", name)
            try journal.or()
            try journal.match("_SYSTEMD_USER_UNIT", name)
        } else {
            try journal.match("SYSLOG_IDENTIFIER", name)
            try journal.and()
            try journal.match("_SYSTEMD_UNIT", name + Self.suffix)
            try journal.or()
            try journal.match("_UID", "0")
        }
        try journal.match("_UID", "\(uid)")
        try journal.and()
    }
}

/// A boot of the machine, as a user names it.
package enum JournalBoot: Sendable, Equatable {
    /// By its id.
    case id(JournalID)
    /// By its number from the last one: 0 is this boot, -1 the one before it.
    case offset(Int)

    /// Nil when the text is neither an id nor a number.
    package init?(_ text: String) {
        if let id = JournalID(text) {
            self = .id(id)
        } else if let offset = Int(text) {
            self = .offset(offset)
        } else {
            return nil
        }
    }
}
