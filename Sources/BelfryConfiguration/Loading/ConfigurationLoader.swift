// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads, checks and decodes the configuration. Nothing is kept between two loads, so a reload is simply another
/// load whose result is used only when it has settings.
package nonisolated struct ConfigurationLoader {
    private let reader: any ConfigurationFileReader
    private let limits: IniLimits
    private var diagnostics = DiagnosticList()
    private var files: [String] = []
    private var sections: [IniSection] = []

    private init(reader: any ConfigurationFileReader, limits: IniLimits) {
        self.reader = reader
        self.limits = limits
    }

    /// Loads the configuration. What is wrong is in the result; nothing is thrown.
    ///
    /// - Parameters:
    ///   - sources: Which files.
    ///   - schema: The table of what may be written; it must contain the sections of `ConfigurationSchema.belfry`.
    ///   - reader: Reads the files.
    ///   - limits: How large the files may be.
    package static func load(
        from sources: ConfigurationSources = .standard, schema: ConfigurationSchema = .belfry,
        reader: any ConfigurationFileReader = SystemFileReader(), limits: IniLimits = IniLimits()
    ) -> LoadedConfiguration {
        var loader = ConfigurationLoader(reader: reader, limits: limits)
        switch sources {
        case .files(let paths):
            for path in paths { _ = loader.read(path, mayBeMissing: false) }
        case .search(let root, let name):
            loader.search(ConfigurationSources.directories.map { root + $0 + "/" + name })
        }
        let effective = ConfigurationResolver.resolve(
            loader.sections, schema: schema, diagnostics: &loader.diagnostics)
        return LoadedConfiguration(
            settings: loader.diagnostics.hasErrors ? nil : BelfrySettings(effective),
            diagnostics: loader.diagnostics.sorted(files: loader.files), effective: effective, files: loader.files)
    }

    /// The first of `mainFiles` that exists counts, and then what lies in their `.d` directories.
    private mutating func search(_ mainFiles: [String]) {
        for path in mainFiles where read(path, mayBeMissing: true) { break }
        for path in reader.dropIns(in: mainFiles.map { $0 + ".d" }, problem: { report($0, $1) }) {
            _ = read(path, mayBeMissing: false)
        }
    }

    /// - Returns: Whether the file is there, readable or not.
    private mutating func read(_ path: String, mayBeMissing: Bool) -> Bool {
        do throws(FileProblem) {
            let bytes = try reader.read(path, limit: limits.fileBytes + 1)
            files.append(path)
            sections += IniReader.read(bytes, file: path, limits: limits, diagnostics: &diagnostics)
        } catch {
            if error.isMissing, mayBeMissing { return false }
            report(path, error)
        }
        return true
    }

    private mutating func report(_ path: String, _ problem: FileProblem) {
        let message = "unable to read \(DisplayText.quoted(path)): \(problem)"
        diagnostics.error(at: ConfigurationPosition(file: path), message, errorNumber: problem.code)
    }
}

/// Where the configuration comes from.
package nonisolated enum ConfigurationSources: Sendable, Equatable {
    /// Exactly these files, later ones over earlier ones; one that is missing is an error.
    case files([String])
    /// The places of UAPI.6: `NAME` in `/etc/belfry`, else in `/run/belfry`, else in `/usr/local/lib/belfry`, else in
    /// `/usr/lib/belfry`, and over it the files of `NAME.d` in all four by their names. `root` stands before all of these
    /// paths.
    case search(root: String, name: String)

    /// `belfry.conf` and `belfry.conf.d` in the places of UAPI.6.
    package static let standard = ConfigurationSources.search(root: "", name: "belfry.conf")

    /// The directories that are searched, the most important first.
    static let directories = ["/etc/belfry", "/run/belfry", "/usr/local/lib/belfry", "/usr/lib/belfry"]
}

/// What came out of reading the configuration.
package nonisolated struct LoadedConfiguration: Sendable {
    /// The settings; nil when there was an error.
    package let settings: BelfrySettings?
    /// All errors and warnings, in the order of the files and lines.
    package let diagnostics: [ConfigurationDiagnostic]
    /// What holds for each key and where it was set, for showing; sections that a program added to the table are here.
    package let effective: EffectiveConfiguration
    /// The files that were read, the least important first.
    package let files: [String]
}
