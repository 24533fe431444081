// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A number of bytes. In a configuration it is written in systemd's syntax, to the base 1024: `4096`, `64K`, `1.5G`,
/// `1G 512M`.
public nonisolated struct ByteSize: Sendable, Comparable, Codable {
    /// The number of bytes.
    public var bytes: UInt64

    /// A size of this many bytes.
    public init(bytes: UInt64) { self.bytes = bytes }

    /// Decodes text in systemd's syntax.
    ///
    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do throws(ValueProblem) {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
        }
    }

    /// Encodes the number of bytes as text.
    ///
    /// - Throws: the errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(bytes)")
    }

    /// Parses text in systemd's syntax.
    init(_ text: String) throws(ValueProblem) {
        guard let bytes = try ByteSizeText.parse(text) else {
            throw ValueProblem("expected a size, it cannot be 'infinity'")
        }
        self.bytes = bytes
    }

    /// Whether `first` has fewer bytes.
    public static func < (first: ByteSize, second: ByteSize) -> Bool { first.bytes < second.bytes }
}
