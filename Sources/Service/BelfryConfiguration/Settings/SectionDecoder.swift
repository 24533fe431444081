// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Decodes a section of the service's own into the service's type.
///
/// A property is set by the key of its name, whose first letter may be written in upper or lower case: `SizeMax=` sets
/// `sizeMax`. Of repeated assignments the last one counts, and those of a list are joined. An empty assignment counts as
/// none, and clears a list.
package nonisolated struct SectionDecoder: Decoder {
    private let section: SectionDecoding
    package let codingPath: [any CodingKey] = []
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    fileprivate init(_ section: SectionDecoding) { self.section = section }

    /// Decodes a section.
    ///
    /// `Decodable` ends at the first value that does not fit, so there is at most one error about values. All keys that
    /// the type does not have are reported.
    ///
    /// - Parameters:
    ///   - type: what to decode.
    ///   - name: the name of the section.
    ///   - loaded: the files; the section may be in several of them, or in none.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, section name: String, of loaded: LoadedConfiguration
    ) -> DecodedSection<Value> {
        var found = DiagnosticList()
        let section = SectionDecoding(name, of: loaded, diagnostics: &found)
        var value: Value?
        do {
            value = try type.init(from: SectionDecoder(section))
        } catch {
            let problem = section.problem(error)
            found.error(at: problem.position, problem.message)
        }
        section.reportUnknownKeys(&found)
        return DecodedSection(
            value: found.hasErrors ? nil : value, diagnostics: found.diagnostics, section: section)
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        section.accept(type)
        return KeyedDecodingContainer(SectionReader<Key>(section: section))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw needsKeys }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { throw needsKeys }

    private var needsKeys: SettingProblem {
        SettingProblem(
            position: section.position, message: "section [\(section.content.title)] needs a type with properties")
    }
}

/// A decoded section.
package nonisolated struct DecodedSection<Value> {
    /// The value; nil if there is an error.
    package let value: Value?
    /// The errors.
    package let diagnostics: [ConfigurationDiagnostic]
    fileprivate let section: SectionDecoding

    /// The section as a file, with a comment about each key.
    package var printed: String { section.printed }
}

/// An error and its position.
nonisolated struct SettingProblem: Error {
    let position: ConfigurationPosition
    let message: String
}

/// Reads the values of a section by their keys.
private nonisolated struct SectionReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let section: SectionDecoding
    let codingPath: [any CodingKey] = []

    var allKeys: [Key] { section.names.compactMap(SectionDecoding.key) }

    func contains(_ key: Key) -> Bool { !section.decoder(of: key).isEmpty }

    func decodeNil(forKey key: Key) -> Bool { section.decoder(of: key).isEmpty }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try section.decoder(of: key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try section.decoder(of: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try section.decoder(of: key).unkeyedContainer()
    }

    /// A superclass has its keys in the same section.
    func superDecoder() -> any Decoder { SectionDecoder(section) }
    func superDecoder(forKey key: Key) -> any Decoder { SectionDecoder(section) }
}
