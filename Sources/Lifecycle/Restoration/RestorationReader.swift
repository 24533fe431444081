// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads the parts of an archive, and believes none of them: every length is held against the bytes that are there
/// before anything is made of it.
nonisolated struct RestorationReader {
    private let bytes: ArraySlice<UInt8>
    private let depth: Int
    private(set) var offset: Int

    init(_ bytes: ArraySlice<UInt8>, depth: Int) {
        self.bytes = bytes
        self.depth = depth
        offset = bytes.startIndex
    }

    var remaining: Int { bytes.endIndex - offset }

    mutating func readFixed<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type
    ) throws(RestorationError) -> Number {
        let size = Number.bitWidth / 8
        return try take(size, "number").reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func readState() throws(RestorationError) -> (identifier: String, entry: RestorationArchive.Entry) {
        let identifier = try readString()
        let version = try readInt()
        return (identifier, RestorationArchive.Entry(version: Int(version), value: try readValue(level: 0)))
    }

    /// A number of things that take at least `size` bytes each.
    mutating func readCount(size: Int = 1) throws(RestorationError) -> Int {
        let start = offset
        let count = try readUInt()
        guard count <= UInt64(remaining / size) else {
            throw .malformed(offset: start, reason: "\(count) in the \(remaining) bytes left")
        }
        return Int(count)
    }

    private mutating func readValue(level: Int) throws(RestorationError) -> UserInfoValue {
        let start = offset
        let byte = try readByte()
        guard let tag = RestorationFormat.Tag(rawValue: byte) else {
            throw .malformed(offset: start, reason: "unknown tag \(byte)")
        }
        switch tag {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .int: return .int(try readInt())
        case .double: return .double(Double(bitPattern: try readFixed(UInt64.self)))
        case .string: return .string(try readString())
        case .array:
            guard level < depth else { throw .tooDeep(limit: depth) }
            var elements: [UserInfoValue] = []
            for _ in 0..<(try readCount()) { elements.append(try readValue(level: level + 1)) }
            return .array(elements)
        case .object:
            guard level < depth else { throw .tooDeep(limit: depth) }
            return .object(try readObject(level: level))
        }
    }

    private mutating func readObject(level: Int) throws(RestorationError) -> UserInfo {
        var object: UserInfo = [:]
        var last: String?
        for _ in 0..<(try readCount(size: 2)) {
            let start = offset
            let key = try readString()
            guard last.map({ RestorationFormat.ascends($0, key) }) ?? true else {
                throw .malformed(offset: start, reason: "keys out of order")
            }
            // Keys that differ in their bytes can be equal as strings: a letter with an accent, and the two apart.
            guard object.updateValue(try readValue(level: level + 1), forKey: key) == nil else {
                throw .malformed(offset: start, reason: "duplicate key")
            }
            last = key
        }
        return object
    }

    private mutating func readString() throws(RestorationError) -> String {
        let start = offset
        let count = try readCount()
        guard let string = String(validating: try take(count, "string"), as: UTF8.self) else {
            throw .malformed(offset: start, reason: "string is not UTF-8")
        }
        return string
    }

    private mutating func readInt() throws(RestorationError) -> Int64 {
        let number = try readUInt()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    private mutating func readUInt() throws(RestorationError) -> UInt64 {
        let start = offset
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readByte()
            let part = UInt64(byte & 0x7F)
            guard shift < 63 || shift == 63 && part <= 1, byte != 0 || shift == 0 else {
                throw .malformed(offset: start, reason: "number is not in its shortest form")
            }
            number |= part << shift
            guard byte & 0x80 != 0 else { return number }
            shift += 7
        }
    }

    private mutating func readByte() throws(RestorationError) -> UInt8 { try take(1, "value").first ?? 0 }

    private mutating func take(_ count: Int, _ what: String) throws(RestorationError) -> ArraySlice<UInt8> {
        guard count <= remaining else { throw .malformed(offset: offset, reason: "\(what) runs past the end") }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}
