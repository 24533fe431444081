// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The states of listeners, by their restoration identifiers: what is kept while the service is away.
///
/// It is a value that becomes bytes and comes back from them. Bytes are taken whole or not at all: an archive that is
/// cut short, has a bit flipped or was made to do harm is refused with the reason, and nothing of it is seen. The
/// checksum shows accidents; it is no seal against whoever may write where the bytes are kept.
public nonisolated struct RestorationArchive: Sendable, Equatable {
    /// One listener's state.
    public struct Entry: Sendable, Equatable {
        /// The version of the state, as its listener counts.
        public let version: Int
        /// The state, encoded.
        public let value: UserInfoValue

        /// A state with its version.
        public init(version: Int, value: UserInfoValue) {
            self.version = version
            self.value = value
        }
    }

    /// The newest format that is understood, and the one that is written.
    public static let formatVersion = 1

    /// The states by identifier.
    public private(set) var entries: [String: Entry] = [:]
    /// What the archive may hold.
    public let limits: RestorationLimits
    private var statesSize = 0

    /// An archive without states.
    public init(limits: RestorationLimits = .standard) { self.limits = limits }

    /// Reads an archive.
    ///
    /// - Throws: `RestorationError` when anything is wrong with any of the bytes.
    public init(bytes: [UInt8], limits: RestorationLimits = .standard) throws(RestorationError) {
        self.init(limits: limits)
        var reader = RestorationReader(try Self.payload(of: bytes, limits: limits), depth: limits.depth)
        var last: String?
        for _ in 0..<(try reader.readCount(size: 3)) {
            let start = reader.offset
            let (identifier, entry) = try reader.readState()
            guard last.map({ !RestorationFormat.ascends(identifier, $0) }) ?? true else {
                throw .malformed(offset: start, reason: "identifiers out of order")
            }
            try add(identifier, entry, size: reader.offset - start)
            last = identifier
        }
        guard reader.remaining == 0 else {
            throw .malformed(offset: reader.offset, reason: "\(reader.remaining) bytes too many")
        }
    }

    /// The identifiers of all states, in order.
    public var identifiers: [String] { entries.keys.sorted(by: RestorationFormat.ascends) }

    /// The state with this identifier.
    public subscript(identifier: String) -> Entry? { entries[identifier] }

    /// Adds a state.
    ///
    /// - Throws: `RestorationError` when there is one of this identifier already, when the identifier is empty or longer
    ///   than 255 bytes, and when the state would exceed the limits. The archive is then as it was.
    public mutating func insert(_ entry: Entry, for identifier: String) throws(RestorationError) {
        var writer = RestorationWriter(depth: limits.depth)
        try writer.write(identifier, entry)
        try add(identifier, entry, size: writer.bytes.count)
    }

    /// The archive as bytes, the same whatever the order in which states were added.
    public var bytes: [UInt8] {
        var writer = RestorationWriter(depth: RestorationLimits.deepest)
        writer.write(RestorationFormat.signature)
        writer.writeFixed(UInt16(Self.formatVersion))
        writer.writeFixed(UInt32(payloadSize(states: entries.count, statesSize)))
        writer.write(UInt64(entries.count))
        for (identifier, entry) in entries.sorted(by: { RestorationFormat.ascends($0.key, $1.key) }) {
            // No state nests deeper than `deepest`: each was held against the limits when it was added.
            try? writer.write(identifier, entry)
        }
        writer.writeFixed(CRC32.checksum(writer.bytes))
        return writer.bytes
    }

    /// Whether both hold the same states, whatever their limits.
    public static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }

    private mutating func add(_ identifier: String, _ entry: Entry, size: Int) throws(RestorationError) {
        guard 1...255 ~= identifier.utf8.count else { throw .invalidIdentifier(identifier) }
        guard entries[identifier] == nil else { throw .duplicateIdentifier(identifier) }
        let whole = RestorationFormat.headerSize + payloadSize(states: entries.count + 1, statesSize + size)
        guard whole + RestorationFormat.checksumSize <= limits.size else { throw .tooLarge(limit: limits.size) }
        entries[identifier] = entry
        statesSize += size
    }

    private func payloadSize(states: Int, _ size: Int) -> Int {
        var writer = RestorationWriter(depth: 0)
        writer.write(UInt64(states))
        return writer.bytes.count + size
    }

    /// The bytes between header and checksum, when all around them is as it should be.
    private static func payload(
        of bytes: [UInt8], limits: RestorationLimits
    ) throws(RestorationError) -> ArraySlice<UInt8> {
        let signature = RestorationFormat.signature
        let (header, trailer) = (RestorationFormat.headerSize, RestorationFormat.checksumSize)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.starts(with: signature.prefix(bytes.count)) else { throw .notAnArchive }
        guard bytes.count <= limits.size else { throw .tooLarge(limit: limits.size) }
        guard bytes.count >= header + trailer else {
            throw .truncated(expected: header + trailer, found: bytes.count)
        }
        var reader = RestorationReader(bytes[signature.count...], depth: 0)
        let version = Int(try reader.readFixed(UInt16.self))
        guard version <= formatVersion else { throw .formatTooNew(version) }
        let length = Int(try reader.readFixed(UInt32.self))
        let end = header + length
        guard bytes.count >= end + trailer else { throw .truncated(expected: end + trailer, found: bytes.count) }
        var checksum = RestorationReader(bytes[end...], depth: 0)
        guard try checksum.readFixed(UInt32.self) == CRC32.checksum(bytes[..<end]) else { throw .checksum }
        guard version == formatVersion, checksum.remaining == 0 else {
            throw version == formatVersion
                ? .malformed(offset: end + trailer, reason: "\(checksum.remaining) bytes too many")
                : .malformed(offset: signature.count, reason: "format \(version) does not exist")
        }
        return bytes[header..<end]
    }
}
