// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import Glibc

/// Reads, checks and decodes the configuration. A loader keeps no state between two loads: a reload is another load, whose
/// result is used only if it has settings.
package nonisolated struct ConfigurationLoader {
    private let reader: any ConfigurationFileReader
    private var diagnostics = DiagnosticList()
    private var files: [String] = []
    private var sections: [IniSection] = []

    private init(reader: any ConfigurationFileReader) { self.reader = reader }

    /// Loads the configuration. Problems are reported in the result.
    ///
    /// - Parameters:
    ///   - sources: the files to read.
    ///   - reader: reads the files.
    package static func load(
        from sources: ConfigurationSources = .standard, reader: any ConfigurationFileReader = SystemFileReader()
    ) -> LoadedConfiguration {
        var loader = ConfigurationLoader(reader: reader)
        switch sources {
        case .files(let paths):
            for path in paths { _ = loader.read(path, mayBeMissing: false) }
        case .search(let root, let name):
            loader.search(ConfigurationSources.directories.map { root + $0 + "/" + name })
        }
        let effective = ConfigurationResolver.resolve(loader.sections, diagnostics: &loader.diagnostics)
        return LoadedConfiguration(
            settings: loader.diagnostics.hasErrors ? nil : BelfrySettings(effective),
            diagnostics: loader.diagnostics.sorted(files: loader.files), effective: effective, files: loader.files)
    }

    /// Reads the first of `mainFiles` that exists, and then the files in their `.d` directories.
    private mutating func search(_ mainFiles: [String]) {
        for path in mainFiles where read(path, mayBeMissing: true) { break }
        for path in reader.dropIns(in: mainFiles.map { $0 + ".d" }, problem: { report($0) }) {
            _ = read(path, mayBeMissing: false)
        }
    }

    /// - Returns: whether the file exists, readable or not.
    private mutating func read(_ path: String, mayBeMissing: Bool) -> Bool {
        do throws(SystemError) {
            let bytes = try reader.read(path, limit: IniLimits.fileBytes + 1)
            files.append(path)
            sections += IniReader.read(bytes, file: path, diagnostics: &diagnostics)
        } catch {
            if error.code == ENOENT, mayBeMissing { return false }
            report(error)
        }
        return true
    }

    private mutating func report(_ problem: SystemError) {
        diagnostics.error(at: ConfigurationPosition(file: problem.object), "\(problem)", errorNumber: problem.code)
    }
}

/// The files of a configuration.
package nonisolated enum ConfigurationSources: Sendable, Equatable {
    /// These files; later ones override earlier ones. A missing file is an error.
    case files([String])
    /// The directories of UAPI.6: the first file `NAME` in `/etc/belfry`, `/run/belfry`, `/usr/local/lib/belfry` and
    /// `/usr/lib/belfry`, and then the files of `NAME.d` in all four directories, sorted by name. `root` is a prefix of
    /// these paths.
    case search(root: String, name: String)

    /// `belfry.conf` and `belfry.conf.d` in the directories of UAPI.6.
    package static let standard = ConfigurationSources.search(root: "", name: "belfry.conf")

    /// The directories to search, in order of descending priority.
    static let directories = ["/etc/belfry", "/run/belfry", "/usr/local/lib/belfry", "/usr/lib/belfry"]
}

/// The result of loading a configuration.
package nonisolated struct LoadedConfiguration: Sendable {
    /// The settings; nil if there was an error.
    package let settings: BelfrySettings?
    /// All errors and warnings, in the order of files and lines.
    package let diagnostics: [ConfigurationDiagnostic]
    /// The value of each key and where it was set.
    package let effective: EffectiveConfiguration
    /// The files that were read, in order of ascending priority.
    package let files: [String]
}
