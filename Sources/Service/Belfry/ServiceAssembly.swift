// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import CBelfry
internal import Glibc
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySystemd
internal import BelfryLinux

/// Puts a service together and runs it: it creates the parts, connects them, and runs the loop.
final class ServiceAssembly {
    let options: ServiceOptions
    let log: ServiceLog
    let reader: ConfigurationReader
    let manager = ServiceManagerSocket()
    private let wanted: [ServiceComponent]
    private var exitRecord: ExitRecordStore?

    init(_ options: ServiceOptions, with components: [ServiceComponent]) {
        self.options = options
        wanted = components
        log = ServiceLog(identifier: options.instanceName)
        reader = ConfigurationReader(options, components, log: log)
    }

    /// Runs the service.
    ///
    /// - Returns: its exit code.
    func run(_ compose: (BelfryService) throws -> Void) throws -> Int32 {
        guard !options.fileName.isEmpty, !options.fileName.utf8.contains(UInt8(ascii: "/")) else {
            throw SystemError(EINVAL, verb: "name files after", object: options.fileName)
        }
        let configuration = reader.begin()
        // What is logged before the logger has begun has the format of the configuration too.
        log.format = reader.logFormat
        guard let configuration else {
            // Throws all errors, also those in the service's own sections.
            _ = try readAndDeclare(nil, compose)
            return ServiceExit.configuration
        }
        let parts = try ServiceParts(self, configuration, wanted)
        exitRecord = parts.exitRecord
        let connection = try connect(parts, compose)
        parts.ending.launch(parts.launch)
        let code = try withExtendedLifetime(connection) { try run(parts) }
        for component in parts.components { component.end() }
        parts.ending.end?.tell(manager)
        log.finish()
        return code
    }

    /// Runs the loop. At the level `debug`, the log says when it stood still, once for each listener and once for the
    /// rest.
    private func run(_ parts: ServiceParts) throws(SystemError) -> Int32 {
        var reported: Set<String?> = []
        return try parts.loop.run(isWatched: { [log] in log.maximumLevel == .debug }) {
            [log, mediator = parts.mediator] start, duration in
            let slow = mediator.listeners.first {
                ($0.record.lastStart ?? .zero) >= start && ($0.record.lastDuration ?? .zero) > MainEventLoop.longestTurn
            }
            guard reported.insert(slow?.name).inserted else { return }
            let cause: RecordText =
                slow.map { "in an answer of the listener '\($0.name)'" } ?? "not in an answer of a listener"
            log.write(.debug, "the event loop stood still for \(duration.milliseconds) ms, \(cause)", .loopBlocked)
        }
    }

    /// Logs why the service could not run.
    ///
    /// - Returns: the exit code.
    func fail(_ error: any Error) -> Int32 {
        let end = ServiceEnd(notRun: error, exitRecord == nil ? .launchRefused : .failed)
        if let refusal = error as? ConfigurationRefusal {
            refusal.reading.write(to: log)
        } else {
            log.write(.critical, "\(error)", .failure)
        }
        if !(error is RunsAlready) { store(end.record) }
        end.tell(manager)
        log.finish()
        return end.exitStatus
    }

    /// Writes for the next launch why this one failed.
    private func store(_ record: ExitRecord) {
        if let exitRecord { return exitRecord.store(record) }
        // Without a configuration only the unit says where the state directory is.
        let paths = RuntimePaths(options.directoryName, .defaults)
        guard Environment.variables["STATE_DIRECTORY"] != nil else { return }
        var run = ServiceRun(
            bootID: (try? SystemIdentity.readBoot()) ?? "", invocationID: SystemIdentity.invocation, pid: getpid(),
            startRealtime: record.realtime)
        run.exitRecord = record
        do {
            try OwnedDirectory.make(paths.runtimeDirectory)
            let lock = try OwnedDescriptor(locking: paths.runtimeDirectory + "/sequence")
            let files = RunFiles(directory: paths.stateDirectory, service: options.instanceName)
            try files.checkOwner()
            try withExtendedLifetime(lock) { try files.write(run) }
        } catch {
            log.write(.warning, "\(error), ignoring", .savedState)
        }
    }
}

extension ServiceAssembly {
    /// Adds the listeners, in the order in which they are notified of a launch, and connects the sources.
    ///
    /// - Returns: what must live as long as the service runs.
    func connect(_ parts: ServiceParts, _ compose: (BelfryService) throws -> Void) throws -> [AnyObject] {
        let (mediator, sources) = (parts.mediator, parts.sources)
        try mediator.addListener(parts.logger)
        let timeline = mediator.addEventObserver(for: .transitionEnded, .postAnswered) { [log, unowned mediator] in
            let isWanted = mediator.configuration[LoggerSettings.self]?.isEnabled ?? true
            guard isWanted, log.showsFields, let record = TimelineRecord.record(of: $0) else { return }
            log.write(record)
        }
        try mediator.addListener(
            ConfigurationListener(
                mediator: mediator, sources: sources, budget: parts.budget, hasSocket: parts.hasSocket))
        if let absence = parts.exitRecord.absence { parts.missing.report(absence, setting: "StateDirectory=") }
        parts.missing.flush()
        let context = context(for: parts)
        for component in parts.components { try component.addFirstListeners(context) }
        // Subscribers of the socket get a notification before its record is written, which takes longer.
        parts.logger.begin()
        try mediator.addListener(
            RestorationListener(
                mediator: mediator,
                path: parts.exitRecord.keepsFiles ? parts.paths.stateDirectory + "/state" : nil,
                interval: { [unowned mediator] in
                    mediator.configuration[BelfrySettings.self]?.service.stateSaveInterval
                }, log: log))
        try addOwnListeners(parts, compose)
        for component in parts.components { try component.addLastListeners(context) }
        try mediator.addOutermostListener(
            ServiceManagerListener(
                loop: parts.loop, mediator: mediator, manager: manager, pause: parts.pause, log: log,
                isTimeKnown: { [budget = parts.budget] in budget.timeouts != nil }))
        parts.budget.begin()

        let suspension = try SelfSuspension(
            loop: parts.loop, mediator: mediator, manager: manager, log: log, login: sources.login)
        return [timeline, suspension]
    }

    private func context(for parts: ServiceParts) -> ComponentContext {
        let launch = UserInfo([("launch", .object(parts.launch.userInfo))])
        let failedCommands = options.application.map {
            // Who has not the lock keeps nothing, nor what is in the state directory of another service.
            let runtime = parts.lock == nil ? [] : [parts.paths.runtimeDirectory]
            let directories = runtime + (parts.exitRecord.keepsFiles ? [parts.paths.stateDirectory] : [])
            return FailedCommands(
                of: $0, in: directories, isPaused: parts.pause.isPaused, mediator: parts.mediator, log: log)
        }
        return ComponentContext(
            loop: parts.loop, mediator: parts.mediator, unitBus: parts.unitBus, paths: parts.paths,
            isLocked: parts.lock != nil,
            describeRun: { [exitRecord = parts.exitRecord] in
                launch.merging(exitRecord.userInfo) { $1 }.merging(failedCommands?.userInfo ?? [:]) { $1 }
            },
            budget: parts.budget, problem: { [sources = parts.sources] in sources.problem(with: $0) })
    }

    /// Adds the listeners of `compose`, and those that registered themselves.
    private func addOwnListeners(_ parts: ServiceParts, _ compose: (BelfryService) throws -> Void) throws {
        let ending = parts.ending
        let service = BelfryService(
            mediator: parts.mediator, loop: parts.loop,
            descriptors: ServiceDescriptors(parts.descriptors, manager: manager), log: log,
            paths: parts.paths, reader: reader, onFailure: { ending.fail($0) })
        let disabled = parts.settings.service.disabledListeners
        try declare(compose, for: service, without: disabled).write(to: log)
        let registered = ListenerRegistration.all.map(\.name)
        for name in disabled where !registered.contains(name) {
            log.write(
                .warning, "no listener '\(name)' of DisabledListeners= registered itself, ignoring",
                .configurationDoubt)
        }
    }

    /// Adds the listeners of `compose`, and those that registered themselves.
    ///
    /// - Returns: the configuration with the settings that they have declared.
    func declare(
        _ compose: (BelfryService) throws -> Void, for service: BelfryService, without disabled: [String]
    ) throws -> ConfigurationReading {
        try compose(service)
        for registration in ListenerRegistration.all where !disabled.contains(registration.name) {
            try service.mediator.addListener(registration.make(service))
        }
        return try reader.endDeclarations()
    }
}
