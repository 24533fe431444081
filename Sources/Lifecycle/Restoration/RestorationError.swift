// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why an archive, or a part of one, is refused.
public nonisolated enum RestorationError: Error, Sendable, Equatable {
    /// The bytes are not JSON, or end early.
    case notJSON(JSONParseError)
    /// The bytes are JSON and not an archive.
    case notAnArchive
    /// The archive is of this version of the format, which is not known here.
    case unknownFormat(Int64)
    /// The state with this identifier is not whole.
    case malformed(identifier: String)
    /// Two states, or two listeners, have this identifier.
    case duplicateIdentifier(String)
    /// This cannot be an identifier: it is empty, or longer than 255 bytes.
    case invalidIdentifier(String)
    /// Containers lie deeper in each other than this.
    case tooDeep(limit: Int)
    /// The archive is larger than this, in bytes.
    case tooLarge(limit: Int)
}

nonisolated extension RestorationError: CustomStringConvertible {
    /// The reason, as the operator shall read it.
    public var description: String {
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
