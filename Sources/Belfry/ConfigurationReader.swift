// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Glibc
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySystemd

/// Reads the configuration of a service, at its start and for each reload, and logs what is wrong with it.
final class ConfigurationReader {
    private let sources: ConfigurationSources
    private let level: LogPriority?
    private let log: ServiceLog

    /// The error number of what was refused last: the system's, where a file could not be read.
    private(set) var errorNumber: Int32?

    init(_ options: ServiceOptions, log: ServiceLog) {
        sources = options.configurationFiles.map { .files($0) } ?? .standard
        level = options.logLevel.flatMap { LogPriority($0) }
        self.log = log
    }

    /// The settings, with what the command line puts over them.
    ///
    /// - Throws: everything that is wrong, when anything is. Warnings are only logged.
    func read() throws(LifecycleReloadError) -> LifecycleConfiguration {
        let loaded = ConfigurationLoader.load(from: sources)
            .checkingCaches(environment: Environment.variables, uid: geteuid(), onDisk: false)
        for diagnostic in loaded.diagnostics { write(diagnostic) }
        guard var settings = loaded.settings else {
            errorNumber = loaded.diagnostics.lazy.compactMap(\.errorNumber).first ?? EINVAL
            throw LifecycleReloadError(loaded.diagnostics.map { "\($0)" })
        }
        if let level { settings.logger.level = level }
        var configuration = LifecycleConfiguration()
        configuration[BelfrySettings.self] = settings
        configuration[EffectiveConfiguration.self] = loaded.effective
        return configuration
    }

    private func write(_ diagnostic: ConfigurationDiagnostic) {
        let position = diagnostic.position
        let isError = diagnostic.severity == .error
        log.write(
            isError ? .error : .warning, "\(diagnostic, limit: 4096)", isError ? .configuration : .configurationDoubt,
            fields: [
                ("BELFRY_CONFIG_FILE", position.file), ("BELFRY_CONFIG_LINE", "\(position.line)"),
                ("BELFRY_CONFIG_COLUMN", "\(position.column)"),
            ])
    }
}
