// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why an archive, or a part of one, is refused.
public nonisolated enum RestorationError: Error, Sendable, Equatable {
    /// There are no bytes.
    case empty
    /// The bytes do not begin as an archive does.
    case notAnArchive
    /// The archive was written by a later Belfry, in this version of the format.
    case formatTooNew(Int)
    /// The archive ends early: so many bytes were written, and so many are here.
    case truncated(expected: Int, found: Int)
    /// The bytes are not those that were written.
    case checksum
    /// The bytes are intact and are no archive: where in bytes from the start, and why.
    case malformed(offset: Int, reason: String)
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
        case .empty: "archive is empty"
        case .notAnArchive: "not a restoration archive"
        case .formatTooNew(let version):
            "archive format \(version) is newer than \(RestorationArchive.formatVersion), the newest known here"
        case .truncated(let expected, let found): "archive is truncated: \(found) of \(expected) bytes"
        case .checksum: "archive is corrupt: checksum does not match"
        case .malformed(let offset, let reason): "archive is malformed at byte \(offset): \(reason)"
        case .duplicateIdentifier(let identifier): "duplicate restoration identifier '\(identifier)'"
        case .invalidIdentifier(let identifier):
            identifier.isEmpty
                ? "restoration identifier is empty"
                : "restoration identifier '\(identifier.prefix(32))…' is longer than 255 bytes"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooLarge(let limit): "larger than the limit of \(limit) bytes"
        }
    }
}
