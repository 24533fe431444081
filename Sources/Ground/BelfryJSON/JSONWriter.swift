// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes values as JSON (RFC 8259) without white space, into memory that grows.
package nonisolated struct JSONWriter: ~Copyable {
    // Usable from other modules, so that constant text is written without a call.
    @usableFromInline var base: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var count = 0

    /// A writer with room for a usual message.
    package init(capacity: Int = 512) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    /// What was written. Valid until more is written, and as long as the writer exists.
    package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    /// Removes what was written. Memory of more than a few messages is freed.
    package mutating func removeAll() {
        count = 0
        if capacity > Self.keptCapacity { self = JSONWriter() }
    }

    private static let keptCapacity = 16 << 10

    /// Writes a value.
    package mutating func write(_ value: JSONValue) {
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
    package mutating func write(_ object: JSONObject) {
        if let text = object.text { return text.withUnsafeBufferPointer { write(raw: $0) } }
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

    private mutating func write(_ elements: [JSONValue]) {
        write(byte: UInt8(ascii: "["))
        for position in elements.indices {
            if position > 0 { write(byte: UInt8(ascii: ",")) }
            write(elements[position])
        }
        write(byte: UInt8(ascii: "]"))
    }

    /// Writes a number.
    package mutating func write(_ value: Int64) {
        reserve(DecimalDigits.longest)
        let end = base + count + DecimalDigits.longest
        let start = DecimalDigits.write(value, before: end)
        (base + count).update(from: start, count: end - start)
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
        var rest = utf8
        while true {
            let length = PlainText.length(of: rest).length
            write(raw: UnsafeBufferPointer(rebasing: rest[..<length]))
            guard length < rest.count else { return }
            write(escaped: rest[length])
            rest = UnsafeBufferPointer(rebasing: rest[(length + 1)...])
        }
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

    /// Writes text that is JSON already.
    @inlinable
    package mutating func write(raw text: StaticString) {
        write(raw: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func write(raw text: String) {
        var text = text
        text.withUTF8 { write(raw: $0) }
    }

    /// Writes text that is JSON already.
    @inlinable
    package mutating func write(raw text: UnsafeBufferPointer<UInt8>) {
        guard let source = text.baseAddress else { return }
        reserve(text.count)
        (base + count).update(from: source, count: text.count)
        count += text.count
    }

    /// Writes a byte of JSON.
    @inlinable
    package mutating func write(byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    @inlinable
    mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(to: count + more) }
    }

    @usableFromInline
    mutating func grow(to needed: Int) {
        capacity = max(needed, capacity * 2)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }
}
