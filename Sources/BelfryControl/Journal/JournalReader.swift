// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
internal import LifecycleJournal
internal import SystemErrors
package import Varlink

/// Reads the notifications of the past from the journal.
package final class JournalReader {
    private let files: SystemJournal.Files
    private let journal: SystemJournal

    /// Opens the journal, or that of a directory.
    package init(directory: String? = nil) throws(ControlFailure) {
        files = directory.map { .directory($0) } ?? .all
        do throws(SystemError) {
            journal = try SystemJournal(files)
        } catch {
            throw ControlFailure(error)
        }
    }

    /// The notifications that a query asks for, oldest first. `body` is called for each.
    package func read(_ query: JournalQuery, _ body: (VarlinkObject) throws -> Void) throws {
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
                if let notification = notification() { try body(notification) }
            }
        } catch let error as SystemError {
            throw ControlFailure(error)
        }
    }

    /// How the last transition of a kind went; nil when there is none.
    package func lastTimeline(of trigger: String, service: String) throws(ControlFailure) -> VarlinkObject? {
        do throws(SystemError) {
            journal.removeMatches()
            try journal.match("SYSLOG_IDENTIFIER", service)
            try journal.match("BELFRY_TRIGGER", trigger)
            try journal.seekTail()
            guard try journal.previous(), let text = journal.field("BELFRY_TIMELINE"),
                let steps = try? VarlinkValue(json: Array(text.utf8))
            else { return nil }
            return [
                "trigger": .string(trigger), "realtimeUsec": .int(try journal.realtimeUsec),
                "durationUsec": .int(journal.field("BELFRY_DURATION_USEC").flatMap { Int64($0) } ?? 0),
                "steps": steps,
            ]
        } catch {
            throw ControlFailure(error)
        }
    }

    private func select(_ query: JournalQuery) throws {
        journal.removeMatches()
        try journal.match("SYSLOG_IDENTIFIER", query.service)
        // Of the records with a notification those of listeners are left out one by one: there is no match for absence.
        for name in query.names { try journal.match("BELFRY_NOTIFICATION", name) }
        if let boot = query.boot { try journal.match("_BOOT_ID", try self.boot(boot)) }
    }

    /// Goes back from the end until `limit` notifications are ahead.
    private func skipAllBut(_ limit: Int, _ query: JournalQuery) throws {
        if let until = query.until {
            try journal.seek(realtimeUsec: until + 1)
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

    private func notification() -> VarlinkObject? {
        JournalNotification.object(
            journal.fields(JournalNotification.prefix), bootID: journal.field("_BOOT_ID") ?? "")
    }

    /// The id of a boot that is given by its id or by its number from the last one.
    private func boot(_ text: String) throws -> String {
        guard let offset = Int(text), text.utf8.count < 32 else { return text }
        var id = sd_id128_t()
        if offset == 0 {
            try SystemError.check(sd_id128_get_boot(&id), verb: "read", object: "the id of the boot")
            return Self.text(id)
        }
        let boots = try bootsInOrder()
        guard offset < 0, boots.count + offset > 0 else {
            throw ControlFailure(.usage, "unable to find boot '\(text)': the journal has \(boots.count)")
        }
        return boots[boots.count - 1 + offset]
    }

    private func bootsInOrder() throws -> [String] {
        let all = try SystemJournal(files)
        var boots: [(id: String, first: Int64)] = []
        for id in try all.values(of: "_BOOT_ID") {
            all.removeMatches()
            try all.match("_BOOT_ID", id)
            try all.seekHead()
            if try all.next() { boots.append((id, try all.realtimeUsec)) }
        }
        return boots.sorted { $0.first < $1.first }.map(\.id)
    }

    private static func text(_ id: sd_id128_t) -> String {
        var buffer = [CChar](repeating: 0, count: 33)
        sd_id128_to_string(id, &buffer)
        return String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
