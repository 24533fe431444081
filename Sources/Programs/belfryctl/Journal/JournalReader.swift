// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryLinux
import BelfrySystemd
import Glibc
import Varlink

/// What the journal has about a service.
nonisolated enum JournalEntry {
    /// A notification.
    case notification(JSONObject)
    /// What a listener has logged about a notification.
    case record(JSONObject)
    /// The calls of listeners for notifications before.
    case timeline(JournalTimeline)
}

/// Reads the notifications of the past from the journal.
@MainActor
final class JournalReader {
    private let isOfMachine: Bool
    private let journal: SystemJournal

    /// Opens the journal, or that of a directory.
    init(directory: String? = nil) throws(ClientFailure) {
        isOfMachine = directory == nil
        do throws(SystemError) {
            journal = try SystemJournal(directory: directory)
        } catch {
            throw ClientFailure(error)
        }
    }

    /// Calls `body` for each entry of a service, oldest first, as long as they are wanted.
    ///
    /// - Parameters:
    ///   - names: only the notifications of these names; all when empty.
    ///   - limit: only this number of notifications, the last ones.
    /// - Throws: `ClientFailure` if no notification was found because the journal is not readable or does
    ///   not exist.
    func read(
        _ service: JournalService, names: [String] = [], limit: Int? = nil, while isWanted: () -> Bool = { true },
        _ body: (JournalEntry) -> Void
    ) throws {
        var isEmpty = true
        do {
            try select(service, names)
            if let limit {
                try skipAllBut(limit)
            } else {
                try journal.seekHead()
            }
            while isWanted(), try journal.next() {
                guard let entry = try entry() else { continue }
                if case .notification = entry { isEmpty = false }
                body(entry)
            }
            if isEmpty { try checkThatJournalIsReadable() }
        } catch let error as SystemError {
            throw ClientFailure(error)
        }
    }

    /// Finds out why nothing was found: the journal may not be readable or may not exist. Removes the matches.
    private func checkThatJournalIsReadable() throws {
        if isOfMachine, SystemJournal.isForbidden() {
            throw ClientFailure(
                .permission, "unable to read the journal: permission denied",
                "root and members of the group systemd-journal can read it"
            )
        }
        guard try journal.isEmpty() else { return }
        throw ClientFailure(.unavailable, "unable to read the journal: there is none", Self.hint)
    }

    private static let hint = "is systemd-journald running, and is its storage enabled (Storage= in journald.conf(5))?"

    private func select(_ service: JournalService, _ names: [String]) throws {
        journal.removeMatches()
        try service.select(in: journal)
        // Records of listeners have a notification too and are skipped one by one: there is no match for a missing
        // field.
        for name in names { try journal.match("BELFRY_NOTIFICATION", name) }
        if !names.isEmpty {
            // The calls of a transition are for several notifications.
            try journal.or()
            try journal.match("MESSAGE_ID", MessageID.timeline.rawValue)
        }
    }

    /// Seeks backwards from the end over `limit` notifications.
    private func skipAllBut(_ limit: Int) throws {
        try journal.seekTail()
        var left = limit
        while left > 0 {
            guard try journal.previous() else { return try journal.seekHead() }
            if notification() != nil { left -= 1 }
        }
        // The next record is then the first to show. The very first record has no predecessor.
        if limit > 0, try !journal.previous() { try journal.seekHead() }
    }

    private func notification() -> JSONObject? {
        JournalNotificationReader.object(
            journal.fields(JournalNotificationReader.prefix), bootID: journal.field("_BOOT_ID") ?? "")
    }

    private func entry() throws -> JournalEntry? {
        if let notification = notification() { return .notification(notification) }
        if let text = journal.field("BELFRY_TIMELINE"), let steps = try? JSONValue(json: Array(text.utf8)) {
            return .timeline(
                JournalTimeline(
                    steps: steps, realtimeUsec: try journal.realtimeUsec, monotonicUsec: try journal.monotonicUsec))
        }
        return try record().map { .record($0) }
    }

    /// What a listener has logged about a notification.
    private func record() throws -> JSONObject? {
        guard let listener = journal.field("BELFRY_LISTENER"), let name = journal.field("BELFRY_NOTIFICATION"),
            let sequence = journal.field("BELFRY_SEQUENCE").flatMap({ Int64($0) })
        else { return nil }
        return [
            "sequence": .int(sequence), "name": .string(name), "listener": .string(listener),
            "realtimeUsec": .int(try journal.realtimeUsec), "message": .string(journal.field("MESSAGE") ?? ""),
        ]
    }
}

/// The service whose records are read. Any process can write records in the name of a service. A record counts only if
/// its trusted fields (systemd.journal-fields(7)) say that it comes from the unit of the service, from root or from the
/// user who reads.
struct JournalService: Sendable, Equatable {
    private static let suffix = ".service"

    private let name: String
    private let uid: UInt32

    /// The service with this name in the journal (`SYSLOG_IDENTIFIER`), whose unit has the same name; or, for
    /// `NAME.service`, the service of that unit, whatever its name.
    ///
    /// - Parameter uid: the user who reads.
    init(_ name: String, readBy uid: UInt32 = geteuid()) {
        self.name = name
        self.uid = uid
    }

    /// Restricts a journal without matches to the records of the service.
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
