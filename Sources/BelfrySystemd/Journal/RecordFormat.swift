// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import CBelfry
internal import Glibc

/// How records are written to standard error.
package nonisolated enum RecordFormat: String, Sendable, CaseIterable {
    /// For people: `2026-01-02T14:03:22.123456Z info videod: a text`. Further lines of the text are indented.
    case text
    /// For programs: one JSON object a line, with the fields of the journal as texts, as `journalctl -o json` prints them.
    /// `SYSLOG_TIMESTAMP` is the time.
    case json

    /// The lines of a record.
    ///
    /// - Parameter identifier: who wrote it.
    package func line(_ record: JournalRecord, identifier: String) -> [UInt8] {
        let time = RecordTime.text(record.realtimeUsec ?? belfry_clock_usec(CLOCK_REALTIME))
        return switch self {
        case .text: Self.text(record, "\(time) \(record.priority.name) \(identifier): ")
        case .json: Self.json(record, time, identifier)
        }
    }

    private static func text(_ record: JournalRecord, _ head: String) -> [UInt8] {
        var line = Array(head.utf8)
        for byte in record.text.utf8 {
            line.append(byte)
            if byte == UInt8(ascii: "\n") { line += "  ".utf8 }
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func json(_ record: JournalRecord, _ time: String, _ identifier: String) -> [UInt8] {
        var object: JSONObject = ["SYSLOG_TIMESTAMP": .string(time)]
        record.allFields(identifier: identifier).forEach { name, value in
            let value = JSONValue.string(value)
            // A field may be there more than once (systemd, «Journal Export Formats»).
            object[name] =
                switch object[name] {
                case nil: value
                case .array(let values): .array(values + [value])
                case .some(let first): [first, value]
                }
        }
        return Array((JSONLine.text(object) + "\n").utf8)
    }
}

/// A point in time as RFC 3339 and RFC 5424 write it, in UTC.
nonisolated enum RecordTime {
    /// `2026-01-02T14:03:22.123456Z`.
    ///
    /// - Parameter microseconds: CLOCK_REALTIME.
    static func text(_ microseconds: UInt64) -> String {
        let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        var time = time_t(clamping: seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let date = "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(date)T\(clock).\(String(1_000_000 + fraction).dropFirst())Z"
    }

    private static func two(_ number: Int32) -> Substring { String(100 + number).dropFirst() }
}
