// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The section [Service] of a systemd unit with its drop-ins: what was assigned, and where (systemd.syntax(7)).
package nonisolated struct UnitFile: Sendable {
    /// The path that was asked for.
    let path: String
    /// Where the section begins; nil when there is none.
    private(set) var header: ConfigurationPosition?
    /// The files that were read.
    private(set) var files: [String] = []
    private var entries: [IniEntry] = []

    /// Reads a unit and the files `*.conf` of the directory `PATH.d`, in the order of their names.
    package init(_ path: String, reader: any ConfigurationFileReader, diagnostics: inout DiagnosticList) {
        self.path = path
        read(path, reader, &diagnostics)
        let names = (try? reader.names(in: path + ".d")) ?? []
        for name in names.sorted() where name.hasSuffix(".conf") && !name.hasPrefix(".") {
            read("\(path).d/\(name)", reader, &diagnostics)
        }
    }

    private mutating func read(
        _ path: String, _ reader: any ConfigurationFileReader, _ diagnostics: inout DiagnosticList
    ) {
        let limits = IniLimits()
        do throws(FileProblem) {
            let bytes = try reader.read(path, limit: limits.fileBytes + 1)
            files.append(path)
            for section in IniReader.read(bytes, file: path, limits: limits, diagnostics: &diagnostics)
            where section.name.string == "Service" {
                header = header ?? section.name.position
                entries += section.entries
            }
        } catch {
            let message = "unable to read \(DisplayText.quoted(path)): \(error)"
            diagnostics.error(at: ConfigurationPosition(file: path), message)
        }
    }

    /// What a missing key is reported at.
    var position: ConfigurationPosition { header ?? ConfigurationPosition(file: path) }

    /// The last value that was assigned to any of these keys, which one that is, and where; nil when there is none or
    /// an empty one took it back.
    func last(_ keys: String...) -> UnitSetting? {
        guard let entry = entries.last(where: { keys.contains($0.key.string) }) else { return nil }
        return entry.value.scalars.isEmpty ? nil : UnitSetting(entry)
    }

    /// All values of a key that is a list, without those before an empty one.
    func all(_ key: String) -> [UnitSetting] {
        var found: [UnitSetting] = []
        for entry in entries where entry.key.string == key {
            if entry.value.scalars.isEmpty { found = [] } else { found.append(UnitSetting(entry)) }
        }
        return found
    }

    /// The words of all values of a key, without quotes.
    func words(_ key: String) -> [(word: String, setting: UnitSetting)] {
        all(key).flatMap { setting in
            setting.value.split(whereSeparator: \.isWhitespace).map {
                ($0.trimmingQuotes, setting)
            }
        }
    }

    /// Whether a boolean key is on.
    func isOn(_ key: String) -> Bool { last(key).map { UnitFile.trueWords.contains($0.value.lowercased()) } ?? false }

    static let trueWords: Set<String> = ["yes", "true", "on", "y", "t", "1"]
}

nonisolated extension Substring {
    fileprivate var trimmingQuotes: String {
        var text = self
        for quote in ["\"", "'"] where text.count > 1 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            text = text.dropFirst().dropLast()
        }
        return String(text)
    }
}
