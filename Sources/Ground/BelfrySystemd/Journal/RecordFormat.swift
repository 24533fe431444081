// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import CBelfry
internal import Glibc

/// How records are written to standard error.
package nonisolated enum RecordFormat: String, Sendable, CaseIterable {
    /// For people: `2026-01-02T14:03:22.123456Z info videod: a text`. Further lines of the text are indented.
    case text
    /// For programs: one JSON object a line, with the fields of the journal as texts, as `journalctl -o json` prints
    /// them. `SYSLOG_TIMESTAMP` is the time.
    case json

    /// The lines of a record.
    ///
    /// - Parameter identifier: who wrote it.
    package func line(_ record: JournalRecord, identifier: String) -> [UInt8] {
        let usec = record.realtimeUsec ?? belfry_clock_usec(CLOCK_REALTIME)
        return switch self {
        case .text: Self.text(record, "\(time: usec) \(record.priority.name) \(identifier): ")
        case .json: Self.json(record, "\(time: usec)", identifier)
        }
    }

    private static func text(_ record: JournalRecord, _ head: RecordText) -> [UInt8] {
        let text = record.text.bytes
        var bytes = head.bytes
        bytes.reserveCapacity(bytes.count + text.count + 32)
        var rest = text[...]
        while let end = rest.withUnsafeBufferPointer({ $0.firstIndex(of: UInt8(ascii: "\n")) }) {
            let next = rest.startIndex + end + 1
            bytes += rest[..<next]
            bytes += "  ".utf8
            rest = rest[next...]
        }
        bytes += rest
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private static func json(_ record: JournalRecord, _ time: RecordText, _ identifier: String) -> [UInt8] {
        var object: JSONObject = ["SYSLOG_TIMESTAMP": .string(time.description)]
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
