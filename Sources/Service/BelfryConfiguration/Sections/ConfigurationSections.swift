// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The sections of all files, which are read by their names.
nonisolated struct ConfigurationSections {
    /// Keys of units that are likely to be looked for here (systemd.service(5), systemd.exec(5)).
    private static let keysOfUnits = [
        "Environment", "ExecStart", "Group", "ReadWritePaths", "Restart", "SupplementaryGroups", "TimeoutStartSec",
        "TimeoutStopSec", "User", "WatchdogSec", "WorkingDirectory",
    ]

    private let found: [IniSection]
    /// What was read.
    private(set) var effective = EffectiveConfiguration()
    /// The problems.
    private(set) var diagnostics: DiagnosticList

    /// The sections of all files in order of ascending priority: later assignments override earlier ones.
    init(_ found: [IniSection] = [], _ diagnostics: DiagnosticList = DiagnosticList()) {
        self.found = found
        self.diagnostics = diagnostics
    }

    /// Reads the section of that name, which has no second word in the brackets.
    mutating func read<Value>(
        _ name: String, key: SectionContent.KeyName = { $0 }, _ decode: (SectionReader) -> Value
    ) -> Value {
        let value = read(SectionContent(name, of: found, key: key, &diagnostics), decode)
        effective.schema.append(effective.sections[effective.sections.count - 1])
        return value
    }

    /// Reads the sections of that name, one for each second word in the brackets.
    ///
    /// - Parameter placeholder: what stands for the second word in messages.
    mutating func readAll<Value>(
        _ name: String, _ placeholder: String, key: SectionContent.KeyName = { $0 }, _ decode: (SectionReader) -> Value
    ) -> [Value] {
        var contents: [SectionContent] = []
        var indices: [UTF8Text: Int] = [:]
        for section in found where section.name.string.hasSameBytes(as: name) {
            guard let instance = instance(of: section, placeholder) else { continue }
            let index = indices[UTF8Text(instance)] ?? contents.count
            if index == contents.count {
                contents.append(SectionContent(name, instance: instance))
                indices[UTF8Text(instance)] = index
            }
            contents[index].add(section, key: key, &diagnostics)
        }
        // Its keys are known also if no file has the section.
        let template = SectionReader(SectionContent(name, instance: placeholder))
        _ = decode(template)
        effective.schema.append(template.content)
        return contents.map { read($0, decode) }
    }

    private mutating func read<Value>(_ content: SectionContent, _ decode: (SectionReader) -> Value) -> Value {
        let reader = SectionReader(content)
        let value = decode(reader)
        effective.sections.append(reader.content)
        diagnostics.add(reader.diagnostics)
        return value
    }

    /// The second word in the brackets; nil with an error if it is missing or invalid.
    private mutating func instance(of section: IniSection, _ placeholder: String) -> String? {
        guard let instance = section.instance else {
            let name = section.name.string
            diagnostics.error(
                at: section.name.position, "section [\(name)] needs a name, as in [\(name) \(placeholder)]")
            return nil
        }
        let invalid = instance.scalars.firstIndex { scalar in
            !(scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil))
                && !["-", "_", "."].contains(scalar)
        }
        guard let invalid else { return instance.string }
        let message = "invalid name \(DisplayText.quoted(instance.string)), expected letters, digits, '.', '_' and '-'"
        diagnostics.error(at: instance.position(at: invalid), message)
        return nil
    }

    /// Reports the keys of the sections that were not read.
    ///
    /// - Returns: the sections that were not read. Sections `[X-…]` are ignored, as in systemd.syntax(7).
    mutating func end() -> [IniSection] {
        for section in effective.sections {
            section.reportUnknownKeys(&diagnostics) { key in
                let others = effective.schema.filter { $0.read.contains { $0.name == UTF8Text(key) } }
                if !others.isEmpty {
                    return ", it belongs to \(others.map { "[\($0.name)]" }.joined(separator: " or "))"
                }
                return Self.keysOfUnits.contains(where: key.hasSameBytes)
                    ? ", it belongs to the unit: 'systemctl edit'" : ""
            }
        }
        return found.filter { section in
            let name = section.name.string
            return !name.utf8.starts(with: "X-".utf8) && !effective.hasSection(name)
        }
    }
}

/// The sections that were read from all files, and where each key was set.
package nonisolated struct EffectiveConfiguration: Sendable {
    /// The sections in the order in which they were read; one with a second word in the brackets once for each.
    var sections: [SectionContent] = []
    /// Each section once, with a placeholder for the second word. No file need have it.
    package internal(set) var schema: [SectionContent] = []

    /// The section of that name, which has no second word in the brackets; nil if it was not read.
    func section(_ name: String) -> SectionContent? { sections(name).first }

    /// All sections of that name.
    func sections(_ name: String) -> [SectionContent] { sections.filter { $0.name.hasSameBytes(as: name) } }

    /// Whether sections of that name were read.
    package func hasSection(_ name: String) -> Bool { schema.contains { $0.name.hasSameBytes(as: name) } }

    /// The error for a section that nobody knows.
    ///
    /// - Parameter own: the names of the service's own sections.
    func unknown(_ section: IniSection, own: [String] = []) -> String {
        let name = section.name.string
        let message = "unknown section [\(DisplayText.cut(name))]"
        guard let near = NearestName.find(name, in: schema.map(\.name) + own) else { return message }
        let takesName = schema.contains { $0.name.hasSameBytes(as: near) && $0.instance != nil }
        let instance = takesName ? section.instance.map { " " + DisplayText.cut($0.string) } ?? "" : ""
        return message + ", did you mean '[\(near)\(instance)]'?"
    }

    /// The configuration as a file with every key, and a comment above each assignment about where it was made. Reading
    /// that file gives the same settings.
    package func printed() -> String { sections.map(\.printed).joined(separator: "\n") }
}
