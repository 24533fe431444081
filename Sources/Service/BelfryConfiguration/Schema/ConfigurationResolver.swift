// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// Checks the sections that were read against a schema, and determines the value of each key.
nonisolated struct ConfigurationResolver {
    private struct Title: Hashable {
        let name: UTF8Text
        let instance: UTF8Text?
    }

    static let longestList = 1024
    /// Keys of units that are likely to be looked for here (systemd.service(5), systemd.exec(5)).
    private static let keysOfUnits = [
        "Environment", "ExecStart", "Group", "ReadWritePaths", "Restart", "SupplementaryGroups", "TimeoutStartSec",
        "TimeoutStopSec", "User", "WatchdogSec", "WorkingDirectory",
    ]

    private let schema: [SectionDescription]
    private var sections: [EffectiveSection] = []
    private var indices: [Title: Int] = [:]
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
        _ read: [IniSection], schema: [SectionDescription] = ConfigurationKeys.all, diagnostics: inout DiagnosticList
    ) -> (effective: EffectiveConfiguration, others: [IniSection]) {
        var resolver = ConfigurationResolver(schema, diagnostics)
        for section in read { resolver.add(section) }
        resolver.requireKeys()
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
        let takesName = ConfigurationKeys.all.contains { $0.instance != nil && $0.name.hasSameBytes(as: near) }
        let instance = takesName ? section.instance.map { " " + DisplayText.cut($0.string) } ?? "" : ""
        return message + ", did you mean '[\(near)\(instance)]'?"
    }

    /// The error for a second word in the brackets of a section that has none.
    static func takesNoName(_ section: IniSection) -> String {
        let found = DisplayText.quoted(section.instance?.string ?? "")
        return "section [\(section.name.string)] takes no name, found \(found)"
    }

    private mutating func append(_ description: SectionDescription, instance: String?) -> Int {
        let settings = description.keys.map(Self.defaultSetting)
        indices[Title(name: UTF8Text(description.name), instance: instance.map { UTF8Text($0) })] = sections.count
        sections.append(
            EffectiveSection(description: description, instance: instance, position: nil, settings: settings))
        return sections.count - 1
    }

    private static func defaultSetting(_ key: KeyDescription) -> EffectiveSetting {
        do throws(ValueProblem) {
            return EffectiveSetting(key: key.name, text: key.defaultText, value: try key.defaultValue(), origin: nil)
        } catch {
            fatalError("default of '\(key.name)': \(error.message)")  // a mistake in the schema, found by any test
        }
    }

    private mutating func add(_ section: IniSection) {
        guard let index = find(section) else { return }
        for entry in section.entries { apply(entry, to: index) }
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
            indices[Title(name: UTF8Text(name), instance: instance.map { UTF8Text($0) })]
            ?? append(description, instance: instance)
        sections[index].position = sections[index].position ?? section.name.position
        return index
    }

    private static func firstInvalid(inInstance name: IniText) -> Int? {
        name.scalars.firstIndex { scalar in
            !(scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil))
                && !["-", "_", "."].contains(scalar)
        }
    }

    private mutating func apply(_ entry: IniEntry, to index: Int) {
        guard let (key, kind) = canonicalKey(entry.key, in: sections[index].description) else { return }
        let found = sections[index].settings.firstIndex { $0.key.hasSameBytes(as: key) }
        let before = found.map { sections[index].settings[$0] }
        guard !entry.value.scalars.isEmpty else {
            if let found { reset(found, of: index, kind, at: entry.key.position) }
            return
        }
        var setting = EffectiveSetting(
            key: key, text: entry.value.string, value: parse(entry, kind), origin: entry.key.position)
        if case .texts(var words) = setting.value {
            if before?.origin != nil, case .texts(let earlier) = before?.value { words = earlier + words }
            guard words.count <= Self.longestList else {
                diagnostics.error(at: entry.value.position, "list is longer than \(Self.longestList) words")
                return
            }
            setting.value = .texts(words)
            setting.text = IniWords.join(words.map(\.string))
        }
        if let found {
            sections[index].settings[found] = setting
        } else {
            sections[index].settings.append(setting)
        }
    }

    /// An empty assignment clears a list, and restores the default of any other key.
    private mutating func reset(
        _ setting: Int, of index: Int, _ kind: ValueKind, at position: ConfigurationPosition
    ) {
        let key = sections[index].settings[setting].key
        if kind.isList {
            sections[index].settings[setting] = EffectiveSetting(
                key: key, text: "", value: .texts([]), origin: position)
        } else if let listed = sections[index].description.key(key) {
            sections[index].settings[setting] = Self.defaultSetting(listed)
        } else {
            sections[index].settings.remove(at: setting)
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

    private mutating func canonicalKey(
        _ key: IniText, in description: SectionDescription
    ) -> (name: String, kind: ValueKind)? {
        let name = key.string
        if description.takesSignals {
            do throws(ValueProblem) {
                return (try SignalName.mappable(name), .signalAction)
            } catch {
                diagnostics.error(at: key.position(at: error.offset), error.message)
                return nil
            }
        }
        if let listed = description.key(name) { return (name, listed.kind) }
        diagnostics.error(at: key.position, unknownKey(name, in: description))
        return nil
    }

    private func unknownKey(_ name: String, in description: SectionDescription) -> String {
        let message = "unknown key \(DisplayText.quoted(name)) in section [\(description.name)]"
        let question = NearestName.question(name, in: description.keys.map(\.name))
        if !question.isEmpty { return message + question }
        let others = schema.filter { $0.key(name) != nil }.map { "[\($0.name)]" }
        if !others.isEmpty { return message + ", it belongs to \(others.joined(separator: " or "))" }
        let isOfUnit = Self.keysOfUnits.contains(where: name.hasSameBytes)
        return isOfUnit ? message + ", it belongs to the unit: 'systemctl edit'" : message
    }

    private mutating func requireKeys() {
        for section in sections {
            guard let position = section.position else { continue }
            // A key with an invalid value has an origin and no value. That problem is already reported.
            let missing = Set(
                section.settings.filter { $0.value == nil && $0.origin == nil || $0.value == .texts([]) }.map(\.key))
            for key in section.description.keys where key.isRequired && missing.contains(key.name) {
                let title = section.description.name + (section.instance.map { " " + $0 } ?? "")
                diagnostics.error(at: position, "missing key '\(key.name)' in section [\(title)]")
            }
        }
    }
}
