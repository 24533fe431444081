// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// Decodes a section of the service's own into the service's type.
///
/// A property is set by the key of its name, whose first letter may be written in upper or lower case: `SizeMax=` sets
/// `sizeMax`. Of repeated assignments the last one counts, and those of a list are joined. An empty assignment counts as
/// none, and clears a list.
package nonisolated struct SectionDecoder: Decoder {
    let section: SectionReader
    /// Where the section begins; where it could begin if no file has it.
    let position: ConfigurationPosition
    package let codingPath: [any CodingKey] = []
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

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
        let content = SectionContent(name, of: loaded.others, key: \.capitalized, &found)
        let position = content.position ?? ConfigurationPosition(file: loaded.mainFile)
        let decoder = SectionDecoder(section: SectionReader(content), position: position)
        var value: Value?
        do {
            value = try type.init(from: decoder)
        } catch {
            let problem = decoder.problem(error)
            found.error(at: problem.position, problem.message)
        }
        decoder.section.content.reportUnknownKeys(&found)
        return DecodedSection(
            value: found.hasErrors ? nil : value, diagnostics: found.diagnostics, content: decoder.section.content)
    }

    /// The decoder of a key, which the type asks for.
    fileprivate func decoder(of key: some CodingKey) -> SettingDecoder {
        let key = UTF8Text(key.stringValue.capitalized)
        section.content.read(key, default: nil)
        return SettingDecoder(
            section: self, key: key, texts: section.content.counted(key).map(SettingText.init), isWord: false)
    }

    /// An error of the type's own initializer, at the value that it names, or else at the section.
    private func problem(_ error: any Error) -> SettingProblem {
        if let problem = error as? SettingProblem { return problem }
        guard let context = (error as? DecodingError)?.context, let key = context.codingPath.first else {
            let text = (error as? DecodingError)?.context.debugDescription ?? "\(error)"
            return SettingProblem(
                position: position, message: "invalid section [\(section.content.title)]: \(DisplayText.line(text))")
        }
        return decoder(of: key).problem(context.debugDescription)
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        section.content.accept { KeyedSection<Key>.key($0) != nil }
        return KeyedDecodingContainer(KeyedSection<Key>(section: self))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw needsKeys }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { throw needsKeys }

    private var needsKeys: SettingProblem {
        SettingProblem(
            position: position, message: "section [\(section.content.title)] needs a type with properties")
    }
}

/// A decoded section.
package nonisolated struct DecodedSection<Value> {
    /// The value; nil if there is an error.
    package let value: Value?
    /// The errors.
    package let diagnostics: [ConfigurationDiagnostic]
    fileprivate let content: SectionContent

    /// The section as a file, with a comment about each key.
    package var printed: String { content.printed }
}

/// Reads the values of a section by their keys.
private nonisolated struct KeyedSection<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let section: SectionDecoder
    let codingPath: [any CodingKey] = []

    /// The keys that are set, as they are written.
    var allKeys: [Key] {
        let content = section.section.content
        return content.keys.compactMap { content.counted($0).last.flatMap { Self.key($0.key.string) } }
    }

    /// The key of a type for a name in a file; nil if it has none.
    static func key(_ name: String) -> Key? {
        Key(stringValue: name) ?? Key(stringValue: name.capitalized) ?? Key(stringValue: name.uncapitalized)
    }

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
    func superDecoder() -> any Decoder { section }
    func superDecoder(forKey key: Key) -> any Decoder { section }
}

nonisolated extension String {
    /// The same with the first letter in upper case, if it is an ASCII letter.
    fileprivate var capitalized: String { withFirst(97...122) { $0 - 32 } }

    /// The same with the first letter in lower case, if it is an ASCII letter.
    fileprivate var uncapitalized: String { withFirst(65...90) { $0 + 32 } }

    private func withFirst(_ range: ClosedRange<UInt8>, _ change: (UInt8) -> UInt8) -> String {
        guard let first = utf8.first, range.contains(first) else { return self }
        return String(Unicode.Scalar(change(first))) + String(Substring(utf8.dropFirst()))
    }
}

nonisolated extension DecodingError {
    var context: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: Context(codingPath: [], debugDescription: "\(self)")
        }
    }
}
