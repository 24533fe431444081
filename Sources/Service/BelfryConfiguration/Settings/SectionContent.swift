// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux

/// The assignments of one section of all files, and what a type has asked for while it decoded itself.
nonisolated final class SectionContent {
    let name: String
    /// Where the section begins; where it could begin if no file has it.
    let position: ConfigurationPosition

    /// The entries by the canonical name of their key, in the order of the files.
    private var entries: [UTF8Text: [IniEntry]] = [:]
    /// The canonical names, in the order of the files.
    private var order: [UTF8Text] = []
    /// The canonical names that the type has asked for, in that order.
    private var asked: [UTF8Text] = []
    private var askedBefore: Set<UTF8Text> = []
    private var lists: Set<UTF8Text> = []
    /// Whether the type has a key of this name, for each container that it has asked for.
    private var acceptors: [(String) -> Bool] = []

    init(_ name: String, of loaded: LoadedConfiguration, diagnostics: inout DiagnosticList) {
        self.name = name
        let sections = loaded.others.filter { $0.name.string.hasSameBytes(as: name) }
        position = sections.first?.name.position ?? ConfigurationPosition(file: loaded.mainFile)
        for section in sections {
            if let instance = section.instance {
                diagnostics.error(at: instance.position, ConfigurationResolver.takesNoName(section))
                continue
            }
            for entry in section.entries {
                let key = Self.canonical(entry.key.string)
                if entries[key] == nil { order.append(key) }
                entries[key, default: []].append(entry)
            }
        }
    }

    /// The keys that are set, as they are written.
    var names: [String] { order.compactMap { counted($0).last?.key.string } }

    /// The key of a type for a name in a file; nil if it has none.
    static func key<Key: CodingKey>(_ name: String) -> Key? {
        let canonical = canonical(name).string
        return Key(stringValue: name) ?? Key(stringValue: canonical) ?? Key(stringValue: canonical.uncapitalized)
    }

    /// The type decodes itself with these keys.
    func accept<Key: CodingKey>(_ type: Key.Type) {
        acceptors.append { name in (Self.key(name) as Key?) != nil }
    }

    /// The value of a key, which the type asks for.
    func place(_ key: some CodingKey) -> SettingPlace {
        let canonical = Self.canonical(key.stringValue)
        if askedBefore.insert(canonical).inserted { asked.append(canonical) }
        return SettingPlace(content: self, key: canonical.string, source: .entries(counted(canonical)))
    }

    /// The value of this key is a list.
    func isList(_ key: String) { lists.insert(UTF8Text(key)) }

    /// An error of the type's own initializer, at the value that it names, or else at the section.
    func problem(_ error: any Error) -> SettingProblem {
        if let problem = error as? SettingProblem { return problem }
        guard let context = (error as? DecodingError)?.context, let key = context.codingPath.first else {
            let text = (error as? DecodingError)?.context.debugDescription ?? "\(error)"
            return SettingProblem(position: position, message: "invalid section [\(name)]: \(DisplayText.line(text))")
        }
        return place(key).problem(context.debugDescription)
    }

    func reportUnknownKeys(_ diagnostics: inout DiagnosticList) {
        let known = asked.map(\.string)
        for entry in order.flatMap({ entries[$0] ?? [] }) {
            let key = entry.key.string
            guard !acceptors.contains(where: { $0(key) }) else { continue }
            diagnostics.error(
                at: entry.key.position,
                "unknown key \(DisplayText.quoted(key)) in section [\(name)]\(NearestName.question(key, in: known))")
        }
    }

    /// The section as a file: every key that the type has asked for, with a comment above it about where it was set.
    var printed: String {
        let lines = asked.map { key in
            let counted = counted(key)
            let shown = lists.contains(key) ? counted[...] : counted.suffix(1)
            guard !shown.isEmpty else { return "# not set\n#\(key.string)=\n" }
            return shown.map { entry in
                let origin = "\(SystemError.escape(entry.key.file)):\(entry.key.position.line)"
                return "# \(origin)\n\(entry.key.string)=\(entry.value.string)\n"
            }.joined()
        }
        return "[\(name)]\n" + lines.joined()
    }

    /// The entries that count: those after the last empty one.
    private func counted(_ key: UTF8Text) -> [IniEntry] {
        let all = entries[key] ?? []
        let start = all.lastIndex { $0.value.scalars.isEmpty }.map { $0 + 1 } ?? 0
        return Array(all[start...])
    }

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
