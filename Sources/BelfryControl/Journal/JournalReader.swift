// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CSystemd
internal import Glibc
internal import SystemErrors
package import Varlink

/// Reads the notifications of the past from the journal (sd_journal_open(3)).
package final class JournalReader {
    private let journal: OpaquePointer
    private static let object = "the journal"

    /// Opens the journal, or that of a directory.
    package init(directory: String? = nil) throws(ControlFailure) {
        var journal: OpaquePointer?
        let result =
            directory.map { sd_journal_open_directory(&journal, $0, 0) }
            ?? sd_journal_open(&journal, Int32(SD_JOURNAL_LOCAL_ONLY))
        guard result >= 0, let journal else {
            throw ControlFailure(SystemError(result, verb: "open", object: Self.object))
        }
        self.journal = journal
    }

    isolated deinit { sd_journal_close(journal) }

    /// The notifications that a query asks for, oldest first. `body` is called for each.
    package func read(_ query: JournalQuery, _ body: (VarlinkObject) throws -> Void) throws {
        try select(query)
        if let limit = query.limit {
            try skipAllBut(limit, query)
        } else if let since = query.since {
            try check(sd_journal_seek_realtime_usec(journal, UInt64(max(0, since))))
        } else {
            try check(sd_journal_seek_head(journal))
        }
        while try check(sd_journal_next(journal)) > 0 {
            if let until = query.until, try realtime() > until { break }
            if let notification = notification() { try body(notification) }
        }
    }

    /// How the last transition of a kind went; nil when there is none.
    package func lastTimeline(of trigger: String, service: String) throws -> VarlinkObject? {
        try add("SYSLOG_IDENTIFIER", service)
        try add("BELFRY_TRIGGER", trigger)
        try check(sd_journal_seek_tail(journal))
        guard try check(sd_journal_previous(journal)) > 0, let text = field("BELFRY_TIMELINE"),
            let steps = try? VarlinkValue(json: Array(text.utf8))
        else { return nil }
        return [
            "trigger": .string(trigger), "realtimeUsec": .int(try realtime()),
            "durationUsec": .int(field("BELFRY_DURATION_USEC").flatMap { Int64($0) } ?? 0), "steps": steps,
        ]
    }

    private func select(_ query: JournalQuery) throws {
        try add("SYSLOG_IDENTIFIER", query.service)
        // Of the records with a notification those of listeners are left out one by one: there is no match for absence.
        for name in query.names { try add("BELFRY_NOTIFICATION", name) }
        if let boot = query.boot { try add("_BOOT_ID", try self.boot(boot)) }
    }

    /// Goes back from the end until `limit` notifications are ahead.
    private func skipAllBut(_ limit: Int, _ query: JournalQuery) throws {
        if let until = query.until {
            try check(sd_journal_seek_realtime_usec(journal, UInt64(max(0, until)) + 1))
        } else {
            try check(sd_journal_seek_tail(journal))
        }
        var left = limit
        while left > 0 {
            guard try check(sd_journal_previous(journal)) > 0 else {
                try check(sd_journal_seek_head(journal))
                return
            }
            if let since = query.since, try realtime() < since { return }
            if notification() != nil { left -= 1 }
        }
        // The next one is then the first to be shown; before the very first there is none to go back to.
        if limit > 0, try check(sd_journal_previous(journal)) == 0 { try check(sd_journal_seek_head(journal)) }
    }

    private func notification() -> VarlinkObject? {
        var fields: [String: String] = [:]
        for name in JournalNotification.fields { fields[name] = field(name) }
        return JournalNotification.object(fields)
    }

    private func field(_ name: String) -> String? {
        var data: UnsafeRawPointer?
        var size = 0
        guard sd_journal_get_data(journal, name, &data, &size) >= 0, let data, size > name.utf8.count else {
            return nil
        }
        let bytes = UnsafeRawBufferPointer(start: data, count: size).dropFirst(name.utf8.count + 1)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func realtime() throws -> Int64 {
        var usec: UInt64 = 0
        try check(sd_journal_get_realtime_usec(journal, &usec))
        return Int64(clamping: usec)
    }

    /// The id of a boot that is given by its id or by its number from the last one.
    private func boot(_ text: String) throws -> String {
        guard let offset = Int(text), text.utf8.count < 32 else { return text }
        var id = sd_id128_t()
        if offset == 0 {
            try check(sd_id128_get_boot(&id))
            return Self.text(id)
        }
        let boots = try bootsInOrder()
        guard offset < 0, boots.count + offset > 0 else {
            throw ControlFailure(.usage, "unable to find boot '\(text)': the journal has \(boots.count)")
        }
        return boots[boots.count - 1 + offset]
    }

    private func bootsInOrder() throws -> [String] {
        let all = try JournalReader()
        try check(sd_journal_query_unique(all.journal, "_BOOT_ID"))
        var boots: [(id: String, first: Int64)] = []
        var data: UnsafeRawPointer?
        var size = 0
        var ids: [String] = []
        while sd_journal_enumerate_unique(all.journal, &data, &size) > 0, let data {
            ids.append(String(decoding: UnsafeRawBufferPointer(start: data, count: size), as: UTF8.self))
        }
        for assignment in ids {
            sd_journal_flush_matches(all.journal)
            try check(sd_journal_add_match(all.journal, assignment, assignment.utf8.count))
            try check(sd_journal_seek_head(all.journal))
            guard try check(sd_journal_next(all.journal)) > 0 else { continue }
            boots.append((String(assignment.dropFirst("_BOOT_ID=".count)), try all.realtime()))
        }
        return boots.sorted { $0.first < $1.first }.map(\.id)
    }

    private static func text(_ id: sd_id128_t) -> String {
        var buffer = [CChar](repeating: 0, count: 33)
        sd_id128_to_string(id, &buffer)
        return String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func add(_ name: String, _ value: String) throws {
        let match = "\(name)=\(value)"
        try check(sd_journal_add_match(journal, match, match.utf8.count))
    }

    @discardableResult
    private func check(_ result: Int32) throws -> Int32 {
        if result < 0 { throw ControlFailure(SystemError(result, verb: "read", object: Self.object)) }
        return result
    }
}
