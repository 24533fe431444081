// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// Checks the sections that were read against a schema, and determines the value of each key.
nonisolated struct ConfigurationResolver {
    /// Keys of units that are likely to be looked for here (systemd.service(5), systemd.exec(5)).
    private static let keysOfUnits = [
        "Environment", "ExecStart", "Group", "ReadWritePaths", "Restart", "SupplementaryGroups", "TimeoutStartSec",
        "TimeoutStopSec", "User", "WatchdogSec", "WorkingDirectory",
    ]

    private let schema: [SectionDescription]
    private var sections: [EffectiveSection] = []
    private var indices: [UTF8Text: Int] = [:]
    private var others: [IniSection] = []
    private var diagnostics: DiagnosticList

    private init(_ schema: [SectionDescription], _ diagnostics: DiagnosticList) {
        self.schema = schema
        self.diagnostics = diagnostics
        for section in schema where section.instance == nil {
            _ = append(section, instance: nil)
        }
    }

    /// Resolves the sections of all files, which are in order of ascending priority.
    ///
    /// - Parameters:
    ///   - read: the sections from `IniReader`; later assignments override earlier ones.
    ///   - schema: the known sections and keys.
    ///   - diagnostics: receives the problems. After an error, the result is only for display.
    /// - Returns: the settings, and the sections that are not in the schema. Sections `[X-…]` are ignored, as in
    ///   systemd.syntax(7).
    static func resolve(
        _ read: [IniSection], schema: [SectionDescription] = KeysAndDefaults.all, diagnostics: inout DiagnosticList
    ) -> (effective: EffectiveConfiguration, others: [IniSection]) {
        var resolver = ConfigurationResolver(schema, diagnostics)
        for section in read { resolver.add(section) }
        for index in resolver.sections.indices { resolver.evaluate(index) }
        diagnostics = resolver.diagnostics
        let effective = EffectiveConfiguration(
            sections: schema.flatMap { section in
                resolver.sections.filter { $0.description.name == section.name }
            })
        return (effective, resolver.others)
    }

    /// The error for a section that nobody knows.
    ///
    /// - Parameter known: the names of the sections that there are.
    static func unknown(_ section: IniSection, of known: [String]) -> String {
        let name = section.name.string
        let message = "unknown section [\(DisplayText.cut(name))]"
        guard let near = NearestName.find(name, in: known) else { return message }
        let takesName = KeysAndDefaults.all.contains { $0.instance != nil && $0.name.hasSameBytes(as: near) }
        let instance = takesName ? section.instance.map { " " + DisplayText.cut($0.string) } ?? "" : ""
        return message + ", did you mean '[\(near)\(instance)]'?"
    }

    /// The error for a second word in the brackets of a section that has none.
    static func takesNoName(_ section: IniSection) -> String {
        let found = DisplayText.quoted(section.instance?.string ?? "")
        return "section [\(section.name.string)] takes no name, found \(found)"
    }

    private mutating func append(_ description: SectionDescription, instance: String?) -> Int {
        let title = Self.title(description.name, instance)
        indices[UTF8Text(title)] = sections.count
        sections.append(
            EffectiveSection(description: description, instance: instance, content: SectionContent(title: title)))
        return sections.count - 1
    }

    /// What is in the brackets. Names have no spaces.
    private static func title(_ name: String, _ instance: String?) -> String {
        name + (instance.map { " " + $0 } ?? "")
    }

    private mutating func add(_ section: IniSection) {
        guard let index = find(section) else { return }
        for entry in section.entries {
            guard let key = canonicalKey(entry.key, in: sections[index].description) else { continue }
            sections[index].content.add(entry, of: UTF8Text(key))
        }
    }

    private mutating func find(_ section: IniSection) -> Int? {
        let name = section.name.string
        guard let description = schema.first(where: { $0.name.hasSameBytes(as: name) }) else {
            if !name.utf8.starts(with: "X-".utf8) { others.append(section) }
            return nil
        }
        if let instance = section.instance, description.instance == nil {
            diagnostics.error(at: instance.position, Self.takesNoName(section))
            return nil
        }
        if let placeholder = description.instance, section.instance == nil {
            diagnostics.error(
                at: section.name.position, "section [\(name)] needs a name, as in [\(name) \(placeholder)]")
            return nil
        }
        if let instance = section.instance, let offset = Self.firstInvalid(inInstance: instance) {
            let message =
                "invalid name \(DisplayText.quoted(instance.string)), expected letters, digits, '.', '_' and '-'"
            diagnostics.error(at: instance.position(at: offset), message)
            return nil
        }
        let instance = section.instance?.string
        let index =
            indices[UTF8Text(Self.title(name, instance))] ?? append(description, instance: instance)
        sections[index].content.position = sections[index].content.position ?? section.name.position
        return index
    }

    private static func firstInvalid(inInstance name: IniText) -> Int? {
        name.scalars.firstIndex { scalar in
            !(scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil))
                && !["-", "_", "."].contains(scalar)
        }
    }

    /// Determines the values of a section, and checks that the required keys are set.
    private mutating func evaluate(_ index: Int) {
        let content = sections[index].content
        for key in sections[index].keys {
            sections[index].values[key.name] = value(of: key, in: content)
            if key.isRequired, let position = content.position, content.counted(UTF8Text(key.name)).isEmpty {
                diagnostics.error(at: position, content.missing(key.name))
            }
        }
    }

    /// The value of a key; nil if it has none. Assignments that do not count are checked too.
    private mutating func value(of key: KeyDescription, in content: SectionContent) -> SettingValue? {
        let name = UTF8Text(key.name)
        let parsed = content.all(name).map { $0.isEmpty ? nil : parse($0, key.kind) }
        guard let last = content.effective(name, isList: key.kind.isList).last else { return Self.defaultValue(key) }
        guard key.kind.isList else { return parsed.last ?? nil }
        let words = parsed.suffix(content.counted(name).count).flatMap { $0?.words ?? [] }
        guard words.count <= SectionContent.longestList else {
            diagnostics.error(at: last.value.position, "list is longer than \(SectionContent.longestList) words")
            return nil
        }
        return .texts(words)
    }

    private static func defaultValue(_ key: KeyDescription) -> SettingValue? {
        do throws(ValueProblem) {
            return try key.defaultValue()
        } catch {
            fatalError("default of '\(key.name)': \(error.message)")  // a mistake in the schema, found by any test
        }
    }

    private mutating func parse(_ entry: IniEntry, _ kind: ValueKind) -> SettingValue? {
        let key = DisplayText.quoted(entry.key.string)
        var warnings: [ValueProblem] = []
        defer {
            for warning in warnings {
                diagnostics.warning(at: entry.value.position(at: warning.offset), warning.message)
            }
        }
        do throws(ValueProblem) {
            return try kind.parse(entry.value.string, &warnings)
        } catch {
            diagnostics.error(at: entry.value.position(at: error.offset), "invalid value of \(key): \(error.message)")
            return nil
        }
    }

    /// The one spelling of a key; nil if the section does not have it.
    private mutating func canonicalKey(_ key: IniText, in description: SectionDescription) -> String? {
        let name = key.string
        if let others = description.others {
            if description.key(name) != nil { return name }
            var warnings: [ValueProblem] = []
            do throws(ValueProblem) {
                let name = try others.name(name, &warnings)
                for warning in warnings { diagnostics.warning(at: key.position, warning.message) }
                return name
            } catch {
                diagnostics.error(at: key.position(at: error.offset), error.message)
                return nil
            }
        }
        if description.key(name) != nil { return name }
        diagnostics.error(at: key.position, unknownKey(name, in: description))
        return nil
    }

    private func unknownKey(_ name: String, in description: SectionDescription) -> String {
        let (message, question) = SectionContent.unknown(
            name, in: description.name, of: description.keys.map(\.name))
        if !question.isEmpty { return message + question }
        let others = schema.filter { $0.key(name) != nil }.map { "[\($0.name)]" }
        if !others.isEmpty { return message + ", it belongs to \(others.joined(separator: " or "))" }
        let isOfUnit = Self.keysOfUnits.contains(where: name.hasSameBytes)
        return isOfUnit ? message + ", it belongs to the unit: 'systemctl edit'" : message
    }
}
