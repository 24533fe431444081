// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Decodes a section of the service's own into the service's type.
///
/// A property is set by the key of its name, whose first letter may be written in upper or lower case: `SizeMax=` sets
/// `sizeMax`. Of repeated assignments the last one counts, and those of a list are joined. An empty assignment counts as
/// none, and clears a list.
package nonisolated enum SectionDecoder {
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
        let content = SectionContent(name, of: loaded, diagnostics: &found)
        var value: Value?
        do {
            value = try type.init(from: SectionPlace(content: content))
        } catch {
            let problem = content.problem(error)
            found.error(at: problem.position, problem.message)
        }
        content.reportUnknownKeys(&found)
        return DecodedSection(
            value: found.hasErrors ? nil : value, diagnostics: found.diagnostics, content: content)
    }
}

/// A decoded section.
package nonisolated struct DecodedSection<Value> {
    /// The value; nil if there is an error.
    package let value: Value?
    /// The errors.
    package let diagnostics: [ConfigurationDiagnostic]
    let content: SectionContent

    /// The section as a file, with a comment about each key.
    package var printed: String { content.printed }
}

/// An error and its position.
nonisolated struct SettingProblem: Error {
    let position: ConfigurationPosition
    let message: String
}

/// The decoder that a type of the service decodes itself from.
nonisolated struct SectionPlace: Decoder {
    let content: SectionContent
    let codingPath: [any CodingKey] = []

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        content.accept(type)
        return KeyedDecodingContainer(SectionReader<Key>(content: content))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw needsKeys }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw needsKeys }

    private var needsKeys: SettingProblem {
        SettingProblem(position: content.position, message: "section [\(content.name)] needs a type with properties")
    }
}

/// Reads the values of a section by their keys.
nonisolated struct SectionReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let content: SectionContent
    let codingPath: [any CodingKey] = []

    var allKeys: [Key] { content.names.compactMap(SectionContent.key) }

    func contains(_ key: Key) -> Bool { !content.place(key).isEmpty }

    func decodeNil(forKey key: Key) -> Bool { content.place(key).isEmpty }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try content.place(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try content.place(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try content.place(key).unkeyedContainer()
    }

    /// A superclass has its keys in the same section.
    func superDecoder() -> any Decoder { SectionPlace(content: content) }
    func superDecoder(forKey key: Key) -> any Decoder { SectionPlace(content: content) }
}
