// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryListeners
internal import BelfrySystemd
internal import Glibc
internal import Lifecycle

/// One reading of the configuration: Belfry's settings, those of the service, and all problems.
final class ConfigurationReading {
    private(set) var configuration = LifecycleConfiguration()
    /// What was read from the files.
    private(set) var loaded: LoadedConfiguration
    /// The service's settings, as `--print-config` prints them.
    private var printedSettings: [() -> String] = []

    /// Reads the files, and what Belfry uses of them.
    init(_ options: ServiceOptions, _ components: [ServiceComponent]) {
        loaded = ConfigurationLoader.read(from: options.configurationSources)
        for component in components { loaded = component.type.check(loaded, options) }
        guard var settings = loaded.settings else { return }
        if let level = options.logLevel.flatMap({ LogPriority($0) }) { settings.logger.level = level }
        configuration[BelfrySettings.self] = settings
        configuration[LoggerSettings.self] = settings.logger
        configuration[EffectiveConfiguration.self] = loaded.effective
    }

    /// Decodes one or more sections of the service.
    ///
    /// - Returns: nil if they have an error.
    func decode<Settings: Sendable>(_ decode: (LoadedConfiguration) -> DecodedSection<Settings>) -> Settings? {
        let decoded = decode(loaded)
        loaded = loaded.adding(decoded.diagnostics)
        printedSettings.append { decoded.printed }
        configuration[Settings.self] = decoded.value
        return decoded.value
    }

    /// Adds an error for each section that is neither Belfry's nor declared.
    func requireKnownSections(_ declarations: [SettingsDeclaration]) {
        loaded = loaded.requiringKnownSections(declarations.map(\.section))
    }

    var isRefused: Bool { loaded.settings == nil }

    /// All problems, one line each.
    var reasons: [String] { loaded.diagnostics.map(\.description) }

    /// The error number of the first failure: the system's if a file could not be read.
    var errorNumber: Int32 { loaded.diagnostics.lazy.compactMap(\.errorNumber).first ?? EINVAL }

    /// The configuration as a file with every key.
    var printed: String { ([loaded.effective.printed()] + printedSettings.map { $0() }).joined(separator: "\n") }

    /// Logs all problems, in a dry run as information: it asks for them.
    func write(to log: ServiceLog, isDryRun: Bool = false) {
        for diagnostic in loaded.diagnostics {
            let position = diagnostic.position
            let isError = diagnostic.severity == .error
            log.write(
                isDryRun ? .info : isError ? .error : .warning, "\(diagnostic, limit: 4096)",
                isError ? .configuration : .configurationDoubt,
                fields: [
                    "BELFRY_CONFIG_FILE": position.file, "BELFRY_CONFIG_LINE": "\(position.line)",
                    "BELFRY_CONFIG_COLUMN": "\(position.column)",
                ])
        }
    }
}
