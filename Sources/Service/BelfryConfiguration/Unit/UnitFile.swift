// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux
internal import Glibc

/// The assignments in the section [Service] of a systemd unit and its drop-ins (systemd.syntax(7)).
package nonisolated struct UnitFile: Sendable {
    /// The path of the unit; the argument if there is no such unit.
    let path: String
    /// Where the section begins; nil if there is none.
    private(set) var header: ConfigurationPosition?
    /// The files that were read.
    private(set) var files: [String] = []
    private var entries: [UnitSetting] = []
    /// The instance that is checked; nil for a unit without one, and for a template.
    private let instance: String?

    /// Reads a unit, given by its name or its path, and its drop-ins.
    package init(
        _ unit: String, root: String = "", reader: any ConfigurationFileReader, diagnostics: inout DiagnosticList
    ) {
        let paths = UnitPaths(unit, root: root)
        instance = paths.instance
        guard let path = paths.files.first(where: { Self.isThere($0, reader) }) else {
            self.path = unit
            Self.report(SystemError(ENOENT, verb: "find", object: unit), &diagnostics)
            return
        }
        self.path = path
        read(path, reader, &diagnostics)
        for path in reader.files(
            in: paths.dropInDirectories, suffix: ".conf", problem: { Self.report($0, &diagnostics) })
        {
            read(path, reader, &diagnostics)
        }
    }

    private mutating func read(
        _ path: String, _ reader: any ConfigurationFileReader, _ diagnostics: inout DiagnosticList
    ) {
        do throws(SystemError) {
            let bytes = try reader.read(path, limit: IniLimits.fileBytes + 1)
            files.append(path)
            if bytes.isEmpty, path == self.path {
                diagnostics.error(at: ConfigurationPosition(file: path), "the unit is masked: the file is empty")
            }
            for section in IniReader.read(bytes, file: path, diagnostics: &diagnostics)
            where section.name.string.hasSameBytes(as: "Service") {
                header = header ?? section.name.position
                entries += section.entries.map { UnitSetting($0, instance: instance) }
            }
        } catch {
            Self.report(error, &diagnostics)
        }
    }

    /// Whether the file exists, readable or not.
    private static func isThere(_ path: String, _ reader: any ConfigurationFileReader) -> Bool {
        do throws(SystemError) {
            _ = try reader.read(path, limit: 0)
            return true
        } catch {
            return error.code != ENOENT
        }
    }

    private static func report(_ problem: SystemError, _ diagnostics: inout DiagnosticList) {
        diagnostics.error(at: ConfigurationPosition(file: problem.object), "\(problem)")
    }

    /// The position at which a missing key is reported.
    var position: ConfigurationPosition { header ?? ConfigurationPosition(file: path) }

    /// The last assignment to any of these keys; nil if there is none or it is empty.
    func last(_ keys: UTF8Text...) -> UnitSetting? {
        guard let setting = entries.last(where: { keys.contains($0.key) }) else { return nil }
        return setting.value == "" ? nil : setting
    }

    /// All values of a list key after its last empty assignment.
    func all(_ key: UTF8Text) -> [UnitSetting] {
        var found: [UnitSetting] = []
        for setting in entries where setting.key == key {
            if setting.value == "" { found = [] } else { found.append(setting) }
        }
        return found
    }

    /// The words of all values of a key, without quotes.
    func words(_ key: UTF8Text) -> [(word: UTF8Text, setting: UnitSetting)] {
        all(key).flatMap { setting in
            setting.value.string.unicodeScalars.split(whereSeparator: IniText.isSpace).map {
                (UTF8Text(String(Self.withoutQuotes($0))), setting)
            }
        }
    }

    /// Whether a boolean key is on.
    func isOn(_ key: UTF8Text) -> Bool { last(key)?.isTrue ?? false }

    private static func withoutQuotes(_ word: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        guard let first = word.first, first == "\"" || first == "'", word.last == first,
            word.dropFirst().startIndex < word.endIndex
        else { return word }
        return word.dropFirst().dropLast()
    }
}

/// One assignment in a unit.
nonisolated struct UnitSetting: Sendable {
    /// The key.
    let key: UTF8Text
    /// The value as written, with the name of the instance for `%i`. Other specifiers remain.
    let value: UTF8Text
    /// The position of the key.
    let position: ConfigurationPosition
    private let text: IniText

    init(_ entry: IniEntry, instance: String?) {
        key = UTF8Text(entry.key.string)
        value = UTF8Text(Self.expand(entry.value.string, instance))
        position = entry.key.position
        text = entry.value
    }

    private static func expand(_ value: String, _ instance: String?) -> String {
        guard let instance else { return value }
        return Specifiers.replace(value) { specifier, _ in
            specifier == "i" ? instance : "%" + (specifier.map { String($0) } ?? "")
        }
    }

    /// The position of a part of the value.
    func position(at offset: Int) -> ConfigurationPosition { text.position(at: offset) }

    /// `Key=value`, for messages.
    var words: String { DisplayText.cut("\(key)=\(value)") }

    /// Whether the value is a true boolean.
    var isTrue: Bool { (try? BooleanText.parse(value.string)) ?? false }
}

/// The files of a unit of the system manager (systemd.unit(5)). Aliases are not searched for.
nonisolated struct UnitPaths {
    /// The candidates for the unit, in order of descending priority; the first that exists is used.
    let files: [String]
    /// The directories of its drop-ins, in order of descending priority.
    let dropInDirectories: [String]
    /// The name of the instance, if the unit is one.
    let instance: String?

    /// The paths of a unit.
    ///
    /// - Parameters:
    ///   - unit: the name of a unit, with or without `.service`; or, if it contains a slash, a path. The drop-ins of a file in
    ///     a directory of systemd are those of its name, those of another file are in `PATH.d`.
    ///   - root: a prefix of the directories of systemd.
    init(_ unit: String, root: String = "") {
        let directories = Self.directories.map { root + $0 }
        let slash = unit.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = unit[(slash.map { unit.utf8.index(after: $0) } ?? unit.startIndex)...]
        let (prefix, instance) = Self.parts(of: name)
        self.instance = instance.flatMap { $0.isEmpty ? nil : String($0) }
        files =
            slash != nil
            ? [unit] : Self.names(prefix, instance).flatMap { name in directories.map { "\($0)/\(name)" } }
        if let slash, !directories.contains(where: String(unit[..<slash]).hasSameBytes) {
            dropInDirectories = [unit + ".d"]
        } else {
            let names = Self.beginnings(of: prefix).flatMap { Self.names($0, instance) }
            // Drop-ins for all services have the lowest priority.
            dropInDirectories =
                directories.flatMap { directory in names.map { "\(directory)/\($0).d" } }
                + directories.map { "\($0)/service.d" }
        }
    }

    /// `PREFIX` or `PREFIX@INSTANCE`, as in the name of a unit.
    private static func parts(of name: Substring) -> (prefix: Substring, instance: Substring?) {
        let suffix = ".service".utf8
        let bare = name.utf8.suffix(suffix.count).elementsEqual(suffix) ? name.utf8.dropLast(suffix.count) : name.utf8
        guard let at = bare.firstIndex(of: UInt8(ascii: "@")) else { return (Substring(bare), nil) }
        return (Substring(bare[..<at]), Substring(bare[bare.index(after: at)...]))
    }

    /// The name of the unit, followed by that of its template if it is an instance.
    private static func names(_ prefix: Substring, _ instance: Substring?) -> [String] {
        switch instance {
        case nil: ["\(prefix).service"]
        case "": ["\(prefix)@.service"]
        case let instance?: ["\(prefix)@\(instance).service", "\(prefix)@.service"]
        }
    }

    /// `a-b-c`, `a-b-` and `a-`, which all have drop-in directories.
    private static func beginnings(of prefix: Substring) -> [Substring] {
        var found = [prefix]
        while let dash = found.last?.utf8.dropLast().lastIndex(of: UInt8(ascii: "-")) {
            found.append(Substring(prefix.utf8[...dash]))
        }
        return found
    }

    /// The directories of systemd, in order of descending priority. /lib may be a link to /usr/lib.
    private static let directories = [
        "/etc/systemd/system.control", "/run/systemd/system.control", "/run/systemd/transient",
        "/run/systemd/generator.early", "/etc/systemd/system", "/etc/systemd/system.attached", "/run/systemd/system",
        "/run/systemd/system.attached", "/run/systemd/generator", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system", "/lib/systemd/system", "/run/systemd/generator.late",
    ]
}
