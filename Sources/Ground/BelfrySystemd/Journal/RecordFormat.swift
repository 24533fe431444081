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
        case .text: Self.text(record, time, identifier)
        case .json: Self.json(record, time, identifier)
        }
    }

    private static func text(_ record: JournalRecord, _ time: String, _ identifier: String) -> [UInt8] {
        let text = record.text.bytes
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + identifier.utf8.count + 48)
        for part in [time, " ", record.priority.name, " ", identifier, ": "] { bytes += part.utf8 }
        var rest = text[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            bytes += rest[...end]
            bytes += "  ".utf8
            rest = rest[(end + 1)...]
        }
        bytes += rest
        bytes.append(UInt8(ascii: "\n"))
        return bytes
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
        // A year has at most 11 characters, so that there is room for all.
        return String(unsafeUninitializedCapacity: 40) { buffer in
            let length = buffer.withMemoryRebound(to: CChar.self) {
                strftime($0.baseAddress, $0.count, "%Y-%m-%dT%H:%M:%S.", &parts)
            }
            var rest = fraction
            for place in (length..<length + 6).reversed() {
                buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            buffer[length + 6] = UInt8(ascii: "Z")
            return length + 7
        }
    }
}
