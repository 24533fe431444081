// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import CBelfry
internal import Glibc

/// Reads the journal record by record (sd-journal(3)). It belongs to the thread that opened it.
package nonisolated final class SystemJournal {
    private static let object = "the journal"
    /// The longest value that is read, in bytes: more than the user info of the longest message on the socket.
    package static let longestValue = 256 << 20

    /// journald accepts no longer names, and only A to Z, 0 to 9 and _ in them (systemd.journal-fields(7)).
    private static let longestName = 64

    private let journal: OpaquePointer

    /// Opens all files of this machine that may be read, also those of units with `LogNamespace=`, or those of a
    /// directory. A journal that may not be read is empty, which is no error.
    package init(directory: String? = nil) throws(SystemError) {
        var journal: OpaquePointer?
        let all = Int32(SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_ALL_NAMESPACES)
        let result =
            directory.map { sd_journal_open_directory(&journal, $0, 0) } ?? sd_journal_open(&journal, all)
        guard result >= 0, let journal else { throw SystemError(result, verb: "open", object: Self.object) }
        self.journal = journal
        // Otherwise libsystemd cuts long values sooner. A value that is cut here is longer than `longestValue`.
        sd_journal_set_data_threshold(journal, Self.longestValue + 128)
    }

    deinit { sd_journal_close(journal) }

    /// Whether this process may not read the records of system services, which opening the journal does not say.
    package static func isForbidden() -> Bool {
        // Without an id there is no journal of the machine either.
        guard let machine = SystemIdentity.machine else { return false }
        return ["/var/log", "/run/log"].contains {
            let path = "\($0)/journal/\(machine)/system.journal"
            return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 && errno == EACCES
        }
    }

    /// Whether there is no record. Removes the matches.
    package func isEmpty() throws(SystemError) -> Bool {
        removeMatches()
        try seekHead()
        return try !next()
    }

    /// Reads only records with this field; several values of one name are alternatives.
    package func match(_ name: String, _ value: String) throws(SystemError) {
        let assignment = "\(name)=\(value)"
        try check(sd_journal_add_match(journal, assignment, assignment.utf8.count))
    }

    /// The matches before and after it are alternatives.
    package func or() throws(SystemError) { try check(sd_journal_add_disjunction(journal)) }

    /// Records must fit the matches before and after it.
    package func and() throws(SystemError) { try check(sd_journal_add_conjunction(journal)) }

    /// Removes the matches.
    package func removeMatches() { sd_journal_flush_matches(journal) }

    /// Goes before the first record.
    package func seekHead() throws(SystemError) { try check(sd_journal_seek_head(journal)) }

    /// Goes behind the last record.
    package func seekTail() throws(SystemError) { try check(sd_journal_seek_tail(journal)) }

    /// Steps to the next record. Answers false at the end.
    package func next() throws(SystemError) -> Bool { try check(sd_journal_next(journal)) > 0 }

    /// Steps to the record before. Answers false at the beginning.
    package func previous() throws(SystemError) -> Bool { try check(sd_journal_previous(journal)) > 0 }

    /// When the record was written, in microseconds of CLOCK_REALTIME.
    package var realtimeUsec: Int64 {
        get throws(SystemError) {
            var usec: UInt64 = 0
            try check(sd_journal_get_realtime_usec(journal, &usec))
            return Int64(clamping: usec)
        }
    }

    /// The same time in microseconds of CLOCK_MONOTONIC of the boot that wrote the record.
    package var monotonicUsec: Int64 {
        get throws(SystemError) {
            var usec: UInt64 = 0
            var boot = sd_id128_t()
            try check(sd_journal_get_monotonic_usec(journal, &usec, &boot))
            return Int64(clamping: usec)
        }
    }

    /// A field of this record; nil when there is none, or it is longer than `longestValue`.
    package func field(_ name: String) -> String? {
        var data: UnsafeRawPointer?
        var size = 0
        guard sd_journal_get_data(journal, name, &data, &size) >= 0, let data, size > name.utf8.count,
            size - name.utf8.count <= Self.longestValue
        else { return nil }
        return Self.text(UnsafeRawBufferPointer(start: data, count: size).dropFirst(name.utf8.count + 1))
    }

    /// The fields of this record whose names begin so; one that is longer than `longestValue` is empty.
    package func fields(_ prefix: StaticString) -> [String: String] {
        var fields: [String: String] = [:]
        var data: UnsafeRawPointer?
        var size = 0
        sd_journal_restart_data(journal)
        while sd_journal_enumerate_available_data(journal, &data, &size) > 0, let data {
            let bytes = UnsafeRawBufferPointer(start: data, count: size)
            guard size > prefix.utf8CodeUnitCount,
                prefix.withUTF8Buffer({ bytes.prefix($0.count).elementsEqual($0) }),
                let sign = bytes.prefix(Self.longestName + 1).firstIndex(of: UInt8(ascii: "=")),
                bytes[..<sign].allSatisfy({ $0 < 0x80 })
            else { continue }
            let value = bytes[(sign + 1)...]
            fields[Self.text(bytes[..<sign])] = value.count > Self.longestValue ? "" : Self.text(value)
        }
        return fields
    }

    @discardableResult
    private func check(_ result: Int32) throws(SystemError) -> Int32 {
        try SystemError.check(result, verb: "read", object: Self.object)
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
