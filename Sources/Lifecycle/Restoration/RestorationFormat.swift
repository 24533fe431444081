// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The bytes of an archive, format 1.
///
///     8  signature: 89 42 52 53 0D 0A 1A 0A
///     2  format version
///     4  length of what follows up to the checksum
///     …  number of states; for each: identifier, version of the state, value
///     4  CRC-32 of everything before it
///
/// The signature is built as PNG's is, so that a transfer as text, which changes line ends or the eighth bit, shows.
/// Numbers of fixed size have their lowest byte first. Every other number is a LEB128 in the fewest bytes, a signed
/// one zigzagged before. A string is its length in bytes and UTF-8. A value is a tag and what belongs to it. Identifiers
/// and keys ascend by their bytes. So one archive has one encoding, and bytes that were accepted are those that
/// writing it again gives.
nonisolated enum RestorationFormat {
    static let signature: [UInt8] = [0x89, 0x42, 0x52, 0x53, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Signature, version and length.
    static let headerSize = signature.count + 2 + 4
    static let checksumSize = 4

    enum Tag: UInt8 {
        case null, `false`, `true`, int, double, string, array, object
    }

    static func ascends(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
