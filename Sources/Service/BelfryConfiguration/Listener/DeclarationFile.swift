// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux

/// A file that declares one thing by its name, such as `backup.listener`, and its drop-ins.
package nonisolated struct DeclarationFile {
    /// The sections; nil if the file is not there or its name is invalid.
    let effective: EffectiveConfiguration?
    /// The files that were read; none without the first one, because drop-ins alone declare nothing.
    package let files: [String]
    /// All errors and warnings so far.
    package private(set) var list: DiagnosticList

    /// Reads the first of the files `NAME.SUFFIX` in these directories, and the drop-ins `NAME.SUFFIX.d/*.conf` in all of them.
    /// The first section of the schema must be there.
    init(
        _ name: String, suffix: String, in directories: [String], schema: [SectionDescription],
        reader: any ConfigurationFileReader
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
        let (effective, others) = ConfigurationResolver.resolve(
            loader.sections, schema: schema, diagnostics: &loader.diagnostics)
        for section in others {
            let unknown = ConfigurationResolver.unknown(section, of: schema.map(\.name))
            loader.diagnostics.error(at: section.name.position, unknown)
        }
        let isThere = loader.files.first.map(paths.contains) ?? false
        if !isThere, !loader.diagnostics.hasErrors {
            loader.diagnostics.error(at: start, "there is no such file")
        } else if effective.section(schema[0].name).content.position == nil, !loader.diagnostics.hasErrors {
            loader.diagnostics.error(
                at: ConfigurationPosition(file: loader.files[0]), "missing section [\(schema[0].name)]")
        }
        (self.effective, files, list) = (effective, isThere ? loader.files : [], loader.diagnostics)
    }

    /// All errors and warnings, in the order of files and lines.
    package var diagnostics: [ConfigurationDiagnostic] { list.sorted(files: files) }

    /// A section; nil if there is an error.
    func section(_ name: String) -> EffectiveSection? { list.hasErrors ? nil : effective?.section(name) }

    /// Where a key is set; the beginning of its section if it is not.
    func position(of key: String, in section: String) -> ConfigurationPosition? {
        let section = effective?.section(section)
        return section?.position(of: key) ?? section?.content.position
    }

    /// Adds an error at a key.
    mutating func error(at key: String, in section: String, _ message: String) {
        guard let position = position(of: key, in: section) else { return }
        list.error(at: position, message)
    }
}

nonisolated extension ValueKind {
    /// The command line of a program.
    static let command = ValueKind { text, _ throws(ValueProblem) in
        _ = try ExecCommand(text, instance: "x")
        return .text(UTF8Text(text))
    }

    /// A time span of at least `minimum` and at most a day.
    static func finiteTimeSpan(from minimum: Duration, _ text: String) -> ValueKind {
        ValueKind { value, _ throws(ValueProblem) in
            guard let span = try TimeSpanText.parse(value), (minimum ... .seconds(86400)).contains(span) else {
                throw ValueProblem("expected a time span from \(text) to 1d")
            }
            return .duration(span)
        }
    }

    /// How long a run may take.
    static let timeout = finiteTimeSpan(from: .milliseconds(1), "1ms")
    /// How often the health is looked at.
    static let healthInterval = finiteTimeSpan(from: .seconds(1), "1s")
}
