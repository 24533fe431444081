// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes the parts of an archive.
nonisolated struct RestorationWriter {
    let depth: Int
    private(set) var bytes: [UInt8] = []

    init(depth: Int) { self.depth = depth }

    mutating func writeFixed(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ raw: [UInt8]) { bytes.append(contentsOf: raw) }

    mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(_ number: Int64) { write(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    mutating func write(_ string: String) {
        write(UInt64(string.utf8.count))
        bytes.append(contentsOf: string.utf8)
    }

    mutating func write(_ identifier: String, _ entry: RestorationArchive.Entry) throws(RestorationError) {
        write(identifier)
        write(Int64(entry.version))
        try write(entry.value)
    }

    private mutating func write(_ value: UserInfoValue, level: Int = 0) throws(RestorationError) {
        switch value {
        case .null: write(.null)
        case .bool(let value): write(value ? .true : .false)
        case .int(let value):
            write(.int)
            write(value)
        case .double(let value):
            write(.double)
            writeFixed(value.bitPattern)
        case .string(let value):
            write(.string)
            write(value)
        case .array(let elements):
            guard level < depth else { throw .tooDeep(limit: depth) }
            write(.array)
            write(UInt64(elements.count))
            for element in elements { try write(element, level: level + 1) }
        case .object(let object):
            guard level < depth else { throw .tooDeep(limit: depth) }
            write(.object)
            write(UInt64(object.count))
            for (key, value) in object.sorted(by: { RestorationFormat.ascends($0.key, $1.key) }) {
                write(key)
                try write(value, level: level + 1)
            }
        }
    }

    private mutating func write(_ tag: RestorationFormat.Tag) { bytes.append(tag.rawValue) }
}
