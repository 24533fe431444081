// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A file that declares one thing by its name, such as `backup.listener`, and its drop-ins.
package nonisolated struct DeclarationFile {
    /// The sections; nil if the file is not there or its name is invalid.
    let effective: EffectiveConfiguration?
    /// The files that were read; none without the first one, because drop-ins alone declare nothing.
    package let files: [String]
    /// All errors and warnings so far.
    package private(set) var list: DiagnosticList

    /// Reads the first of the files `NAME.SUFFIX` in these directories, and the drop-ins `NAME.SUFFIX.d/*.conf` in all
    /// of them. The first section that is read must be there.
    ///
    /// - Parameter decode: reads the sections. Not called if the name is invalid.
    init(
        _ name: String, suffix: String, in directories: [String], reader: any ConfigurationFileReader,
        _ decode: (inout ConfigurationSections) -> Void
    ) {
        let paths = directories.map { "\($0)/\(name)\(suffix)" }
        var loader = ConfigurationLoader(reader: reader)
        let start = ConfigurationPosition(file: paths[0])
        do throws(ValueProblem) {
            _ = try NotificationName.parse(name)
        } catch {
            loader.diagnostics.error(
                at: start, "invalid name \(DisplayText.quoted(name)), expected \(NotificationName.rule)")
            (effective, files, list) = (nil, [], loader.diagnostics)
            return
        }
        loader.search(paths)
        var sections = ConfigurationSections(loader.sections, loader.diagnostics)
        decode(&sections)
        let others = sections.end()
        let isThere = loader.files.first.map(paths.contains) ?? false
        (effective, files, list) = (sections.effective, isThere ? loader.files : [], sections.diagnostics)
        for section in others { list.error(at: section.name.position, sections.effective.unknown(section)) }
        guard !list.hasErrors, let first = sections.effective.sections.first else { return }
        if !isThere {
            list.error(at: start, "there is no such file")
        } else if first.position == nil {
            list.error(at: ConfigurationPosition(file: loader.files[0]), "missing section [\(first.title)]")
        }
    }

    /// The name of what the file at this path declares.
    static func name(of path: String, suffix: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        return String(Substring(path.utf8[start...].dropLast(suffix.utf8.count)))
    }

    /// All errors and warnings, in the order of files and lines.
    package var diagnostics: [ConfigurationDiagnostic] {
        ConfigurationDiagnostic.sorted(list.diagnostics, files: files)
    }

    /// Where a key is set; the beginning of its section if it is not.
    func position(of key: String, in section: String) -> ConfigurationPosition? {
        let section = effective?.section(section)
        return section?.position(of: key) ?? section?.position
    }

    /// Adds an error at a key.
    mutating func error(at key: String, in section: String, _ message: String) {
        guard let position = position(of: key, in: section) else { return }
        list.error(at: position, message)
    }
}

nonisolated extension TimeSpanText {
    /// How long a run may take.
    package static func timeout(_ text: String) throws(ValueProblem) -> Duration {
        try finite(text, from: .milliseconds(1), "1ms")
    }

    /// How often the health is looked at.
    static func healthInterval(_ text: String) throws(ValueProblem) -> Duration {
        try finite(text, from: .seconds(1), "1s")
    }

    /// How long a failure of it does not count at the start.
    static func healthStart(_ text: String) throws(ValueProblem) -> Duration { try finite(text, from: .zero, "0") }

    private static func finite(
        _ text: String, from minimum: Duration, _ minimumText: String
    ) throws(ValueProblem) -> Duration {
        guard let span = try parse(text), (minimum ... .seconds(86400)).contains(span) else {
            throw ValueProblem("expected a time span from \(minimumText) to 1d")
        }
        return span
    }
}
