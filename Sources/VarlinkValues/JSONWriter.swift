// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes values as JSON (RFC 8259) into memory that grows, in one go and without white space.
package nonisolated struct JSONWriter: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// How many bytes were written.
    package private(set) var count = 0

    /// A writer that has room for a usual message.
    package init(capacity: Int = 512) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    /// What was written. Valid until more is written, and for as long as the writer is kept.
    package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    /// Writes a value.
    package mutating func write(_ value: VarlinkValue) {
        switch value {
        case .null: write(raw: "null")
        case .bool(true): write(raw: "true")
        case .bool(false): write(raw: "false")
        case .int(let value): write(value)
        // JSON has no infinities and no NaN (RFC 8259, section 6).
        case .double(let value): write(raw: value.isFinite ? value.description : "null")
        case .string(let text): write(text)
        case .array(let elements): write(elements)
        case .object(let object): write(object)
        }
    }

    /// Writes an object, with its members in their order.
    package mutating func write(_ object: VarlinkObject) {
        let members = object.members
        write(byte: UInt8(ascii: "{"))
        for position in members.indices {
            if position > 0 { write(byte: UInt8(ascii: ",")) }
            write(members[position].key)
            write(byte: UInt8(ascii: ":"))
            write(members[position].value)
        }
        write(byte: UInt8(ascii: "}"))
    }

    private mutating func write(_ elements: [VarlinkValue]) {
        write(byte: UInt8(ascii: "["))
        for position in elements.indices {
            if position > 0 { write(byte: UInt8(ascii: ",")) }
            write(elements[position])
        }
        write(byte: UInt8(ascii: "]"))
    }

    private mutating func write(_ value: Int64) {
        // The digits of an Int64 and its sign.
        let room = 20
        reserve(room)
        var start = count + room
        let end = start
        var rest = value.magnitude
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            start -= 1
            base[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest > 0
        if value < 0 {
            start -= 1
            base[start] = UInt8(ascii: "-")
        }
        (base + count).update(from: base + start, count: end - start)
        count += end - start
    }

    /// Writes a string.
    package mutating func write(_ text: String) {
        var text = text
        write(byte: UInt8(ascii: "\""))
        text.withUTF8 { write(escaping: $0) }
        write(byte: UInt8(ascii: "\""))
    }

    private mutating func write(escaping utf8: UnsafeBufferPointer<UInt8>) {
        reserve(utf8.count)
        var start = 0
        for position in utf8.indices {
            let byte = utf8[position]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            write(raw: UnsafeBufferPointer(rebasing: utf8[start..<position]))
            write(escaped: byte)
            start = position + 1
        }
        write(raw: UnsafeBufferPointer(rebasing: utf8[start...]))
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
            write(raw: String(byte, radix: 16))
        }
    }

    /// Text that is JSON already.
    package mutating func write(raw text: StaticString) {
        write(raw: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func write(raw text: String) {
        var text = text
        text.withUTF8 { write(raw: $0) }
    }

    private mutating func write(raw text: UnsafeBufferPointer<UInt8>) {
        guard let source = text.baseAddress else { return }
        reserve(text.count)
        (base + count).update(from: source, count: text.count)
        count += text.count
    }

    /// Writes a byte that is JSON already.
    package mutating func write(byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(to: count + more) }
    }

    private mutating func grow(to needed: Int) {
        capacity = max(needed, capacity * 2)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }
}
