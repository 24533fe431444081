// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryListeners
internal import BelfrySystemd
internal import Glibc
internal import Lifecycle

/// Applies the deadlines of `[Service]` and the settings of sources. Refuses changes that need a restart.
final class ConfigurationListener: LifecycleListener {
    let name = "configuration"
    private unowned let mediator: LifecycleMediator
    private let sources: ServiceSources
    private let budget: UnitBudget
    private let hasSocket: Bool

    /// - Parameter hasSocket: whether the program has the socket. If not, changes of `[Socket]` are ignored.
    init(mediator: LifecycleMediator, sources: ServiceSources, budget: UnitBudget, hasSocket: Bool) {
        self.mediator = mediator
        self.sources = sources
        self.budget = budget
        self.hasSocket = hasSocket
    }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in try apply(mediator.configuration) }
        on(.willReload) { [self] in try check($0) }.rehearsing { [self] in try check($0) }
        on(.didReload) { [self] in
            try apply($0.configuration)
            budget.refresh()
        }
        on(.didFailToReload) { [self] in try apply($0.configuration) }
    }

    private func check(_ notification: LifecycleNotification) throws {
        guard let new = notification.configuration?[EffectiveConfiguration.self],
            let old = mediator.configuration[EffectiveConfiguration.self]
        else { return }
        let keys = new.restartKeys(changedFrom: old).filter { hasSocket || $0.section != "Socket" }
        guard !keys.isEmpty else { return }
        let list = keys.map(\.description).joined(separator: ", ")
        throw LifecycleRefusal("a reload cannot change \(list): that takes a restart")
    }

    private func apply(_ configuration: LifecycleConfiguration?) throws {
        guard let settings = configuration?[BelfrySettings.self] else { return }
        budget.apply(settings.service)
        try sources.apply(settings)
    }
}

/// Reads the configuration, at the start and for each reload, and logs its problems.
final class ConfigurationReader {
    private let sources: ConfigurationSources
    private let level: LogPriority?
    private let components: [ServiceComponent]
    private let log: ServiceLog
    private var isFirst = true

    /// The error number of the last failure: the system's if a file could not be read.
    private(set) var errorNumber: Int32?

    init(_ options: ServiceOptions, _ components: [ServiceComponent], log: ServiceLog) {
        sources = options.configurationFiles.map { .files($0) } ?? .standard
        level = options.logLevel.flatMap { LogPriority($0) }
        self.components = components
        self.log = log
    }

    /// The settings, with the options of the command line.
    ///
    /// - Throws: all errors. Warnings are only logged.
    func read() throws(LifecycleReloadError) -> LifecycleConfiguration {
        let loaded = ConfigurationLoader.load(from: sources)
            .checkingCaches(environment: Environment.variables, uid: geteuid(), onDisk: false)
        // The first warnings have the format of the configuration too. After a reload the logger applies it.
        if isFirst, let logger = loaded.settings?.logger { log.format = LoggerParameters(logger).format }
        isFirst = false
        for diagnostic in loaded.diagnostics { write(diagnostic) }
        guard var settings = loaded.settings else {
            errorNumber = loaded.diagnostics.lazy.compactMap(\.errorNumber).first ?? EINVAL
            throw LifecycleReloadError(loaded.diagnostics.map { "\($0)" })
        }
        if let level { settings.logger.level = level }
        var configuration = LifecycleConfiguration()
        configuration[BelfrySettings.self] = settings
        configuration[LoggerParameters.self] = LoggerParameters(settings.logger)
        configuration[EffectiveConfiguration.self] = loaded.effective
        for component in components { component.configure(settings, &configuration) }
        return configuration
    }

    private func write(_ diagnostic: ConfigurationDiagnostic) {
        let position = diagnostic.position
        let isError = diagnostic.severity == .error
        log.write(
            isError ? .error : .warning, "\(diagnostic, limit: 4096)", isError ? .configuration : .configurationDoubt,
            fields: [
                "BELFRY_CONFIG_FILE": position.file, "BELFRY_CONFIG_LINE": "\(position.line)",
                "BELFRY_CONFIG_COLUMN": "\(position.column)",
            ])
    }
}

nonisolated extension LoggerParameters {
    fileprivate init(_ settings: LoggerSettings) {
        self.init(
            isEnabled: settings.isEnabled,
            level: JournalRecord.Priority(rawValue: Int32(settings.level.rawValue)) ?? .info,
            target: ServiceLog.Target(rawValue: settings.target.rawValue) ?? .auto,
            format: RecordFormat(rawValue: settings.format.rawValue) ?? .text)
    }
}
