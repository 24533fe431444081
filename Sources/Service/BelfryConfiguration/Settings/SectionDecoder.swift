// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON

/// Decodes a section of the service's own into the service's type.
///
/// A property is set by the key of its name, whose first letter may be written in upper or lower case: `SizeMax=` sets
/// `sizeMax`. Of repeated assignments the last one counts, and those of a list are joined. An empty assignment counts
/// as none, and clears a list.
package nonisolated struct SectionDecoder: Decoder {
    let section: SectionReader
    /// Where the section begins; where it could begin if no file has it.
    let position: ConfigurationPosition
    /// The values of keys that are not set.
    fileprivate let defaults: JSONObject
    package let codingPath: [any CodingKey] = []
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    private init(_ section: SectionReader, _ loaded: LoadedConfiguration, _ defaults: JSONObject) {
        self.section = section
        self.defaults = defaults
        position = section.content.position ?? ConfigurationPosition(file: loaded.mainFile)
    }

    /// Decodes a section.
    ///
    /// `Decodable` ends at the first value that does not fit and has no default. All other such values, and all keys
    /// that the type does not have, are reported.
    ///
    /// - Parameters:
    ///   - type: what to decode.
    ///   - defaults: the values of keys that are not set.
    ///   - name: the name of the section.
    ///   - loaded: the files; the section may be in several of them, or in none.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, _ defaults: JSONObject = [:], section name: String, of loaded: LoadedConfiguration
    ) -> DecodedSection<Value> {
        var sections = ConfigurationSections(loaded.others)
        let value = sections.read(name, key: \.capitalized) { Self($0, loaded, defaults).decode(type) }
        return DecodedSection(value, sections)
    }

    /// Decodes all sections with this first word in the brackets, by the second one.
    package static func decodeAll<Value: Decodable>(
        _ type: Value.Type, _ defaults: JSONObject, sections name: String, of loaded: LoadedConfiguration
    ) -> DecodedSection<[String: Value]> {
        var sections = ConfigurationSections(loaded.others)
        var values: [String: Value] = [:]
        _ = sections.readAll(name, "NAME", key: \.capitalized) { reader in
            let value = Self(reader, loaded, defaults).decode(type)
            if reader.content.position != nil, let instance = reader.content.instance { values[instance] = value }
        }
        return DecodedSection(values, sections)
    }

    private func decode<Value: Decodable>(_ type: Value.Type) -> Value? {
        do {
            return try type.init(from: self)
        } catch {
            section.add(problem(error))
            return nil
        }
    }

    /// The default of a key; nil if there is none.
    fileprivate func preset<Value: Decodable>(_ key: some CodingKey, as type: Value.Type) throws -> Value? {
        try defaults[key.stringValue].map { try JSONValueDecoder().decode(type, from: $0) }
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

/// A decoded section, or several.
package nonisolated struct DecodedSection<Value> {
    /// The value; nil if there is an error.
    package let value: Value?
    /// The errors.
    package let diagnostics: [ConfigurationDiagnostic]
    /// What was read as a file, with a comment about each key.
    package let printed: String

    fileprivate init(_ value: Value?, _ read: ConfigurationSections) {
        var sections = read
        _ = sections.end()
        self.value = sections.diagnostics.hasErrors ? nil : value
        diagnostics = sections.diagnostics.diagnostics
        printed = sections.effective.sections.map(\.printed).joined(separator: "\n")
    }
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

    func contains(_ key: Key) -> Bool { !section.decoder(of: key).isEmpty || section.defaults[key.stringValue] != nil }

    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let decoder = section.decoder(of: key)
        guard let preset = try section.preset(key, as: type) else { return try decoder.decode(type) }
        do {
            return decoder.isEmpty ? preset : try decoder.decode(type)
        } catch let problem as SettingProblem {
            // Reported, and the next values are decoded too.
            section.section.add(problem)
            return preset
        }
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
