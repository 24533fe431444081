// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

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

    /// The configuration as a file with every key, and a comment above each assignment about where it was made. Reading that
    /// file gives the same settings.
    package func printed() -> String { sections.map(\.printed).joined(separator: "\n") }
}
