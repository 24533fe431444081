// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux
internal import Glibc

/// Reads, checks and decodes the configuration. A loader keeps no state between two loads: a reload is another load,
/// whose result is used only if it has settings.
package nonisolated struct ConfigurationLoader: ~Copyable {
    private let reader: any ConfigurationFileReader
    var diagnostics = DiagnosticList()
    private(set) var files: [String] = []
    private(set) var sections: [IniSection] = []

    init(reader: any ConfigurationFileReader) { self.reader = reader }

    /// Loads the configuration, and leaves sections that are not Belfry's in `others`. Problems are reported in the
    /// result.
    ///
    /// - Parameters:
    ///   - sources: the files to read.
    ///   - reader: reads the files.
    package static func read(
        from sources: ConfigurationSources, reader: any ConfigurationFileReader = SystemFileReader()
    ) -> LoadedConfiguration {
        var loader = ConfigurationLoader(reader: reader)
        switch sources {
        case .files(let paths):
            for path in paths { _ = loader.read(path, mayBeMissing: false) }
        case .search(let root, let name, let instance, let own, let file):
            loader.search(ConfigurationSources.mainFiles(of: name, instance, own, file).map { root + $0 })
        }
        var sections = ConfigurationSections(loader.sections, loader.diagnostics)
        let settings = BelfrySettings(&sections)
        let others = sections.end()
        return LoadedConfiguration(
            decoded: settings,
            diagnostics: ConfigurationDiagnostic.sorted(sections.diagnostics.diagnostics, files: loader.files),
            effective: sections.effective,
            others: others, files: loader.files, mainFile: sources.mainFile)
    }

    /// Reads the first of `mainFiles` that exists, and then the files in their `.d` directories.
    mutating func search(_ mainFiles: [String]) {
        for path in mainFiles where read(path, mayBeMissing: true) { break }
        let directories = mainFiles.map { $0 + ".d" }
        for path in reader.files(in: directories, suffix: ".conf", problem: { report($0) }) {
            readDropIn(path, directories)
        }
    }

    /// In the place of a drop-in that has vanished since it was listed is what has its name now. A link that leads
    /// nowhere is still listed, and an error.
    private mutating func readDropIn(_ path: String, _ directories: [String]) {
        if read(path, mayBeMissing: true) { return }
        let name = path.utf8.suffix(from: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)
        let listed = reader.files(in: directories, suffix: ".conf", problem: { report($0) })
        guard let now = listed.first(where: { $0.utf8.suffix(name.count).elementsEqual(name) }) else { return }
        if now.hasSameBytes(as: path) { _ = read(path, mayBeMissing: false) } else { readDropIn(now, directories) }
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

    mutating func report(_ problem: SystemError) {
        diagnostics.error(at: ConfigurationPosition(file: problem.object), "\(problem)", errorNumber: problem.code)
    }
}

/// The files of a configuration.
package nonisolated enum ConfigurationSources: Sendable, Equatable {
    /// These files; later ones override earlier ones. A missing file is an error.
    case files([String])
    /// The directories of UAPI.6: the first file `NAME.conf` in `/etc/NAME`, `/run/NAME`, `/usr/local/lib/NAME` and
    /// `/usr/lib/NAME`, and then the files of `NAME.conf.d` in all four directories, sorted by name. For an instance
    /// these directories are `/etc/NAME/instances/INSTANCE` and so on. `own` takes the place of the first of them.
    /// `root` is a prefix of these paths. `file` is the name of the files, if it is not that of the directories.
    case search(root: String, name: String, instance: String? = nil, own: String? = nil, file: String? = nil)

    /// These files, or if they are nil, those of the service of this name, or of an instance of it. Their first
    /// directory is `$CONFIGURATION_DIRECTORY`, which systemd sets for a unit with `ConfigurationDirectory=`
    /// (systemd.exec(5)): in the unit of a user it is in the user's home directory.
    package init(
        files: [String]?, service name: String, instance: String? = nil, file: String? = nil,
        environment: [String: String] = [:]
    ) {
        let own = RuntimePaths.unitDirectory("CONFIGURATION_DIRECTORY", environment)
        self = files.map { .files($0) } ?? .search(root: "", name: name, instance: instance, own: own, file: file)
    }

    /// The directories that are searched, in order of descending priority.
    package static func directories(of name: String, _ instance: String? = nil) -> [String] {
        let directory = instance.map { "\(name)/instances/\($0)" } ?? name
        return ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map { "\($0)/\(directory)" }
    }

    /// The main files to search for, in order of descending priority.
    static func mainFiles(of name: String, _ instance: String?, _ own: String?, _ file: String?) -> [String] {
        let directories = directories(of: name, instance)
        return ([own ?? directories[0]] + directories.dropFirst()).map { "\($0)/\(file ?? name).conf" }
    }

    /// The file that settings belong to that no file has.
    var mainFile: String {
        switch self {
        case .files(let files): files.last ?? "configuration"
        case .search(let root, let name, let instance, let own, let file):
            root + Self.mainFiles(of: name, instance, own, file)[0]
        }
    }
}

/// The result of loading a configuration.
package nonisolated struct LoadedConfiguration: Sendable {
    /// The settings. What has an error has its default.
    package internal(set) var decoded: BelfrySettings
    /// All errors and warnings, in the order of files and lines.
    package private(set) var diagnostics: [ConfigurationDiagnostic]
    /// The sections that were read, and where each key was set.
    package let effective: EffectiveConfiguration
    /// The sections that are not Belfry's, in order of ascending priority.
    let others: [IniSection]
    /// The files that were read, in order of ascending priority.
    package let files: [String]
    /// The file that settings belong to that no file has.
    let mainFile: String

    /// The settings; nil if there is an error.
    package var settings: BelfrySettings? {
        diagnostics.contains { $0.severity == .error } ? nil : decoded
    }

    /// The same configuration with an error for each section that is neither Belfry's nor one of `own`.
    package func requiringKnownSections(_ own: [String]) -> LoadedConfiguration {
        var found = DiagnosticList()
        for section in others where !own.contains(where: section.name.string.hasSameBytes) {
            found.error(at: section.name.position, effective.unknown(section, own: own))
        }
        return adding(found.diagnostics)
    }

    /// The same configuration with the number of `[Socket] Group=`, or a warning. The default need not exist.
    package func findingGroup(reader: any ConfigurationFileReader = SystemFileReader()) -> LoadedConfiguration {
        let (group, position) = (decoded.socket.group, effective.section("Socket")?.position(of: "Group"))
        var (copy, problem, place) = (self, "there is no group \(DisplayText.quoted(group)) in /etc/group; ", position)
        do throws(SystemError) {
            let number = UInt32(group)
            copy.decoded.socket.groupNumber = if let number { number } else { try Self.number(of: group, reader) }
            problem += "a group of a directory service is named by its number"
        } catch {
            problem = "\(error)"
            if error.code != ENOENT { place = position ?? ConfigurationPosition(file: error.object) }
        }
        guard copy.decoded.socket.groupNumber == nil, let place else { return copy }
        return adding([ConfigurationDiagnostic(.warning, at: place, problem)])
    }

    /// The number in a line NAME:PASSWORD:NUMBER:MEMBERS of /etc/group (group(5)). The other databases of
    /// nsswitch.conf(5) may block for as long as a directory server does not answer.
    private static func number(of group: String, _ reader: any ConfigurationFileReader) throws(SystemError) -> UInt32? {
        let bytes = try reader.read("/etc/group", limit: 1 << 20)
        guard bytes.count < 1 << 20 else { throw SystemError(EFBIG, verb: "read", object: "/etc/group") }
        return bytes.split(separator: UInt8(ascii: "\n")).lazy.compactMap { line -> UInt32? in
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count == 4, fields[0].elementsEqual(group.utf8) else { return nil }
            return UInt32(String(decoding: fields[2], as: UTF8.self))
        }.first
    }

    /// The same configuration with more problems.
    package func adding(_ found: [ConfigurationDiagnostic]) -> LoadedConfiguration {
        guard !found.isEmpty else { return self }
        var copy = self
        copy.diagnostics = ConfigurationDiagnostic.sorted(diagnostics + found, files: files)
        return copy
    }
}
