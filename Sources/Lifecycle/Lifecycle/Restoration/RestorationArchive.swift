// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The states of listeners by their restoration identifiers, as stored while the service does not run.
///
/// It is encoded as one JSON object:
///
///     {"version":1,"states":{"player":{"version":1,"state":{"track":"a","seconds":2.5}}}}
///
/// It is decoded completely or not at all: an archive that is truncated or malformed is refused with a reason.
package nonisolated struct RestorationArchive: Sendable, Equatable {
    /// The format that is read and written.
    static let formatVersion: Int64 = 1
    /// The size of the longest archive, in bytes.
    package static let longest = 1 << 20
    /// How deeply containers may be nested in one state, within the three of the archive.
    package static let deepest = JSONParser.maximumDepth - 3

    /// For each identifier an object with `version` and `state`.
    private var states: JSONObject = [:]
    /// The size of the archive in bytes.
    private var size = Self.json(of: [:]).count

    /// An archive without states.
    package init() {}

    /// Reads an archive.
    ///
    /// - Throws: `RestorationError` when the bytes are not a valid archive.
    package init(bytes: [UInt8]) throws(RestorationError) {
        guard bytes.count <= Self.longest else { throw .tooLarge(limit: Self.longest) }
        let archive: JSONValue
        do throws(JSONParseError) { archive = try JSONValue(json: bytes) } catch { throw .notJSON(error) }
        guard case .int(let version) = archive["version"], case .object(let states) = archive["states"] else {
            throw .notAnArchive
        }
        guard version == Self.formatVersion else { throw .unknownFormat(version) }
        for (identifier, state) in states where Self.state(state) == nil { throw .malformed(identifier: identifier) }
        self.states = states
        for (identifier, state) in states { size += Self.size(of: state, identifier) }
    }

    /// The identifiers of all states.
    package var identifiers: [String] { states.map(\.key) }

    /// The state with this identifier, and its version, as its listener counts.
    package subscript(identifier: String) -> (version: Int64, value: JSONValue)? {
        states[identifier].flatMap(Self.state)
    }

    /// Puts a state in the place of that with its identifier.
    ///
    /// - Throws: `RestorationError.tooLarge`. The archive is then unchanged.
    package mutating func replace(_ value: JSONValue, version: Int, for identifier: String) throws(RestorationError) {
        let state: JSONValue = ["version": .int(Int64(version)), "state": value]
        let replaced = states[identifier].map { Self.size(of: $0, identifier) } ?? 0
        let grown = size - replaced + Self.size(of: state, identifier)
        guard grown <= Self.longest else { throw .tooLarge(limit: Self.longest) }
        // The last one is at the end.
        states[identifier] = nil
        states[identifier] = state
        size = grown
    }

    /// The archive as bytes.
    package var bytes: [UInt8] { Self.json(of: states) }

    private static func state(_ json: JSONValue) -> (version: Int64, value: JSONValue)? {
        guard case .int(let version) = json["version"], let value = json["state"] else { return nil }
        return (version, value)
    }

    /// How many bytes a state adds: its own without the braces, and a comma.
    private static func size(of state: JSONValue, _ identifier: String) -> Int {
        JSONValue.object([identifier: state]).json.count - 1
    }

    private static func json(of states: JSONObject) -> [UInt8] {
        let archive: JSONValue = ["version": .int(formatVersion), "states": .object(states)]
        return archive.json + [UInt8(ascii: "\n")]
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
    /// Two listeners have this identifier.
    case duplicateIdentifier(String)
    /// The identifier is empty, or longer than 255 bytes.
    case invalidIdentifier(String)
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
        case .tooLarge(let limit): "larger than the limit of \(limit) bytes"
        }
    }
}
