// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The states of listeners by their restoration identifiers, as stored while the service does not run.
///
/// It is encoded as one JSON object:
///
///     {"version":1,"states":{"player":{"version":1,"state":{"track":"a","seconds":2.5}}}}
///
/// It is decoded completely or not at all: an archive that is truncated or malformed is refused with a reason.
package nonisolated struct RestorationArchive: Sendable {
    /// One listener's state.
    package struct Entry: Sendable, Equatable {
        /// The version of the state, as its listener counts.
        package let version: Int
        /// The state, encoded.
        package let value: JSONValue

        /// A state with its version.
        package init(version: Int, value: JSONValue) {
            self.version = version
            self.value = value
        }
    }

    /// The format that is read and written.
    package static let formatVersion = 1

    private var entries: [UTF8Text: Entry] = [:]
    /// What the archive may hold.
    package let limits: RestorationLimits
    /// The size of the archive in bytes.
    private var size = RestorationArchive.json(of: [:]).count

    /// An archive without states.
    package init(limits: RestorationLimits = .standard) { self.limits = limits }

    /// Reads an archive.
    ///
    /// - Throws: `RestorationError` when the bytes are not a valid archive.
    package init(bytes: [UInt8], limits: RestorationLimits = .standard) throws(RestorationError) {
        self.init(limits: limits)
        guard bytes.count <= limits.size else { throw .tooLarge(limit: limits.size) }
        let archive = try Self.value(of: bytes, around: 3, limits)
        guard case .int(let version) = archive["version"], case .object(let states) = archive["states"] else {
            throw .notAnArchive
        }
        guard version == Self.formatVersion else { throw .unknownFormat(version) }
        for (identifier, state) in states {
            guard case .int(let version) = state["version"], let version = Int(exactly: version),
                let value = state["state"]
            else { throw .malformed(identifier: identifier) }
            try insert(Entry(version: version, value: value), for: identifier)
        }
    }

    /// Parses JSON that has this many containers around each state.
    private static func value(
        of bytes: [UInt8], around containers: Int, _ limits: RestorationLimits
    ) throws(RestorationError) -> JSONValue {
        do throws(JSONParseError) {
            return try bytes.withUnsafeBufferPointer { bytes throws(JSONParseError) in
                try JSONValue(json: bytes, maximumDepth: limits.depth + containers)
            }
        } catch {
            throw error.reason == .nestedTooDeeply ? .tooDeep(limit: limits.depth) : .notJSON(error)
        }
    }

    /// The identifiers of all states, sorted by their bytes.
    package var identifiers: [String] { entries.keys.sorted().map(\.string) }

    /// The state with this identifier.
    package subscript(identifier: String) -> Entry? { entries[UTF8Text(identifier)] }

    /// Adds a state.
    ///
    /// - Throws: `RestorationError` when the identifier exists, is empty or is longer than 255 bytes, and when the state
    ///   would exceed the limits. The archive is then unchanged.
    package mutating func insert(_ entry: Entry, for identifier: String) throws(RestorationError) {
        guard 1...255 ~= identifier.utf8.count else { throw .invalidIdentifier(identifier) }
        guard self[identifier] == nil else { throw .duplicateIdentifier(identifier) }
        let json = JSONValue.object([identifier: Self.state(entry)]).json
        _ = try Self.value(of: json, around: 2, limits)
        // The braces are counted already; a comma comes before all states except the first.
        let grown = size + json.count - 2 + (entries.isEmpty ? 0 : 1)
        guard grown <= limits.size else { throw .tooLarge(limit: limits.size) }
        entries[UTF8Text(identifier)] = entry
        size = grown
    }

    /// The archive as bytes, independent of the order in which states were added.
    package var bytes: [UInt8] {
        Self.json(of: JSONObject(identifiers.compactMap { name in self[name].map { (name, Self.state($0)) } }))
    }

    private static func state(_ entry: Entry) -> JSONValue {
        ["version": .int(Int64(entry.version)), "state": entry.value]
    }

    private static func json(of states: JSONObject) -> [UInt8] {
        let archive: JSONValue = ["version": .int(Int64(formatVersion)), "states": .object(states)]
        return archive.json + [UInt8(ascii: "\n")]
    }
}

nonisolated extension RestorationArchive: Equatable {
    /// Whether both hold the same states, whatever their limits.
    package static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }
}

/// The limits of an archive.
package nonisolated struct RestorationLimits: Sendable, Equatable {
    /// The upper limit of the nesting: values are read by recursion, and the stack is limited.
    package static let deepest = 256

    /// 1 MiB, and 64 nested containers.
    package static let standard = RestorationLimits(size: 1 << 20, depth: 64)

    /// The size of an archive, in bytes.
    package let size: Int
    /// How deeply containers may be nested in one listener's state.
    package let depth: Int

    /// Limits of `size` bytes, at most 2 GiB, and `depth` nested containers, at most `deepest`.
    package init(size: Int, depth: Int) {
        self.size = min(max(size, 0), Int(Int32.max))
        self.depth = min(max(depth, 0), Self.deepest)
    }
}

/// The reason why an archive, or a part of one, is refused.
package nonisolated enum RestorationError: Error, Sendable, Equatable {
    /// The bytes are not JSON, or are truncated.
    case notJSON(JSONParseError)
    /// The bytes are JSON, but not an archive.
    case notAnArchive
    /// The archive has this version of the format, which is not supported.
    case unknownFormat(Int64)
    /// The state with this identifier is malformed.
    case malformed(identifier: String)
    /// Two states, or two listeners, have this identifier.
    case duplicateIdentifier(String)
    /// The identifier is empty, or longer than 255 bytes.
    case invalidIdentifier(String)
    /// Containers are nested deeper than this.
    case tooDeep(limit: Int)
    /// The archive is larger than this, in bytes.
    case tooLarge(limit: Int)
}

nonisolated extension RestorationError: CustomStringConvertible {
    /// The reason, for the operator.
    package var description: String {
        switch self {
        case .notJSON(let error): "archive is not JSON: \(error)"
        case .notAnArchive: "not a restoration archive"
        case .unknownFormat(let version):
            "archive format \(version) is not known here, only \(RestorationArchive.formatVersion)"
        case .malformed(let identifier): "state '\(identifier.cut(toBytes: 64))' is not whole"
        case .duplicateIdentifier(let identifier): "duplicate restoration identifier '\(identifier.cut(toBytes: 64))'"
        case .invalidIdentifier(let identifier):
            identifier.isEmpty
                ? "restoration identifier is empty"
                : "restoration identifier '\(identifier.cut(toBytes: 64))' is longer than 255 bytes"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooLarge(let limit): "larger than the limit of \(limit) bytes"
        }
    }
}
