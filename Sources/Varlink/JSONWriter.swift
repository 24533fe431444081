// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes compact JSON (RFC 8259) into a buffer.
nonisolated struct JSONWriter {
    var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    mutating func write(_ value: VarlinkValue) {
        switch value {
        case .null: write(raw: "null")
        case .bool(true): write(raw: "true")
        case .bool(false): write(raw: "false")
        case .int(let value): bytes.append(contentsOf: String(value).utf8)
        // JSON has no infinities and no NaN (RFC 8259, section 6).
        case .double(let value): bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .string(let text): write(text)
        case .array(let elements): write(elements)
        case .object(let object): write(object)
        }
    }

    mutating func write(_ object: VarlinkObject) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in object {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(key)
            bytes.append(UInt8(ascii: ":"))
            write(value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ elements: [VarlinkValue]) {
        bytes.append(UInt8(ascii: "["))
        for (position, element) in elements.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            write(element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Text that is JSON already.
    mutating func write(raw text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            var start = 0
            for position in utf8.indices {
                let byte = utf8[position]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                bytes.append(contentsOf: utf8[start..<position])
                write(escaped: byte)
                start = position + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write(raw: "\\\"")
        case UInt8(ascii: "\\"): write(raw: "\\\\")
        case 0x0A: write(raw: "\\n")
        case 0x0D: write(raw: "\\r")
        case 0x09: write(raw: "\\t")
        default:
            write(raw: byte < 0x10 ? "\\u000" : "\\u00")
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        }
    }
}
