// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The assignments of a section of the service's own, and what a type asks for while it decodes itself.
nonisolated final class SectionDecoding {
    /// The assignments by the name of their key with the first letter in upper case.
    let content: SectionContent
    /// Where the section begins; where it could begin if no file has it.
    let position: ConfigurationPosition

    /// The keys that the type has asked for, in that order.
    private var asked: [UTF8Text] = []
    private var isList: [UTF8Text: Bool] = [:]
    /// Whether the type has a key of this name, for each container that it has asked for.
    private var acceptors: [(String) -> Bool] = []

    init(_ name: String, of loaded: LoadedConfiguration, diagnostics: inout DiagnosticList) {
        var content = SectionContent(title: name)
        for section in loaded.others where section.name.string.hasSameBytes(as: name) {
            content.position = content.position ?? section.name.position
            if let instance = section.instance {
                diagnostics.error(at: instance.position, ConfigurationResolver.takesNoName(section))
                continue
            }
            for entry in section.entries { content.add(entry, of: Self.canonical(entry.key.string)) }
        }
        self.content = content
        position = content.position ?? ConfigurationPosition(file: loaded.mainFile)
    }

    /// The keys that are set, as they are written.
    var names: [String] { content.keys.compactMap { content.counted($0).last?.key.string } }

    /// The key of a type for a name in a file; nil if it has none.
    static func key<Key: CodingKey>(_ name: String) -> Key? {
        let canonical = canonical(name).string
        return Key(stringValue: name) ?? Key(stringValue: canonical) ?? Key(stringValue: canonical.uncapitalized)
    }

    /// The type decodes itself with these keys.
    func accept<Key: CodingKey>(_ type: Key.Type) {
        acceptors.append { name in (Self.key(name) as Key?) != nil }
    }

    /// The decoder of a key, which the type asks for.
    func decoder(of key: some CodingKey) -> SettingDecoder {
        let canonical = Self.canonical(key.stringValue)
        if isList.updateValue(isList[canonical] ?? false, forKey: canonical) == nil { asked.append(canonical) }
        return SettingDecoder(section: self, key: canonical.string, source: .entries(content.counted(canonical)))
    }

    /// The value of this key is a list.
    func markList(_ key: String) { isList[UTF8Text(key)] = true }

    /// An error of the type's own initializer, at the value that it names, or else at the section.
    func problem(_ error: any Error) -> SettingProblem {
        if let problem = error as? SettingProblem { return problem }
        guard let context = (error as? DecodingError)?.context, let key = context.codingPath.first else {
            let text = (error as? DecodingError)?.context.debugDescription ?? "\(error)"
            return SettingProblem(
                position: position, message: "invalid section [\(content.title)]: \(DisplayText.line(text))")
        }
        return decoder(of: key).problem(context.debugDescription)
    }

    func reportUnknownKeys(_ diagnostics: inout DiagnosticList) {
        let known = asked.map(\.string)
        for entry in content.keys.flatMap(content.all) {
            let key = entry.key.string
            guard !acceptors.contains(where: { $0(key) }) else { continue }
            let (message, question) = SectionContent.unknown(key, in: content.title, of: known)
            diagnostics.error(at: entry.key.position, message + question)
        }
    }

    /// The section as a file with every key that the type has asked for.
    var printed: String { content.printed(asked.map { ($0, isList[$0] == true, nil) }) }

    private static func canonical(_ name: String) -> UTF8Text { UTF8Text(name.capitalized) }
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
