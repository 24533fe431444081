// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import CBelfry
internal import BelfryEventLoop
internal import Glibc
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySources
internal import BelfrySystemd
internal import BelfryLinux

/// Puts a service together and runs it.
final class ServiceAssembly {
    let options: ServiceOptions
    let log: ServiceLog
    let reader: ConfigurationReader
    private let wanted: [ServiceComponent]
    private let manager = ServiceManagerSocket()
    private let finalStatus: FinalStatus
    private var exitRecord: ExitRecordStore?

    init(_ options: ServiceOptions, with components: [ServiceComponent]) {
        self.options = options
        wanted = components
        finalStatus = FinalStatus(manager)
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
        let configuration = reader.begin(onDisk: false)
        // What is logged before the logger has begun has the format of the configuration too.
        log.format = reader.logFormat
        guard let configuration else {
            // Throws all errors, also those in the service's own sections.
            _ = try readAndDeclare(nil, compose)
            return ServiceExit.configuration
        }
        let settings = configuration[BelfrySettings.self] ?? .defaults
        let limit = DescriptorLimit(
            connections: has("socket") && settings.socket.isEnabled ? settings.socket.connectionsMax : 0, log: log)
        let loop = try MainEventLoop()
        log.begin(on: loop)
        manager.retry(on: loop) { [log] count in
            log.write(.warning, "service manager did not take \(count) messages in time, dropped them", .managerBusy)
        }
        let received = try ListenDescriptors.received()
        let identity = ServiceIdentity(
            service: options.instanceName, version: options.version ?? BelfryVersion.current,
            bootID: try SystemIdentity.readBoot() ?? "",
            invocationID: SystemIdentity.invocation, pid: getpid(), startUsec: MonotonicInstant.now.microseconds)
        let paths = RuntimePaths(options.directoryName, settings)
        let parameters = ComponentParameters(
            options: options, settings: settings, identity: identity, log: log, manager: manager, received: received)
        let components = try wanted.map { try $0.make(parameters) }
        sayWhatIsMissing(settings)
        let lastSequence = components.compactMap(\.lastSequence).max()
        let (sequence, counter) = try sequence(in: paths, lastSequence, bootID: identity.bootID)
        let mediator = LifecycleMediator(
            clock: EventLoopClock(loop), sequence: sequence,
            configuration: configuration, deadlines: LifecycleDeadlines(settings.service))
        mediator.readConfiguration = { [reader] in try reader.read() }

        let bus = SystemBus(loop: loop)
        let unit = ServiceManagerUnit.own(loop: loop, system: bus)
        let budget = UnitBudget(mediator: mediator, unit: unit)
        try mediator.addListener(LoggerListener(mediator: mediator, log: log, counter: counter))
        let timeline = mediator.addEventObserver(for: [.transitionEnded, .postAnswered]) { [log, unowned mediator] in
            let isWanted = mediator.configuration[LoggerParameters.self]?.isEnabled ?? true
            if isWanted, let record = TimelineRecord.record(of: $0) { log.write(fieldsOf: record) }
        }
        defer { timeline.cancel() }
        let missing = MissingParts(log: log, manager: manager)
        let sources = ServiceSources(
            loop: loop, mediator: mediator, log: log, missing: missing, bus: bus, unit: unit,
            name: options.instanceName)
        try mediator.addListener(
            ConfigurationListener(mediator: mediator, sources: sources, budget: budget, hasSocket: has("socket")))
        let exitRecord = makeExitRecord(in: paths, mediator, identity)
        self.exitRecord = exitRecord
        if let absence = exitRecord.absence { missing.report(absence, setting: "StateDirectory=") }
        missing.flush()
        let descriptors = received.descriptors.filter { received in
            !components.contains { $0.owns(descriptorNamed: received.name) }
        }
        var launch = LaunchSource.options(Environment.variables, descriptors)
        launch.cause = exitRecord.launchCause
        launch.previousRun = exitRecord.previousRun
        let componentContext = ComponentContext(
            loop: loop, mediator: mediator, paths: paths, counter: counter,
            describeRun: { UserInfo([("launch", .object(launch.userInfo))]).merging(exitRecord.userInfo) { $1 } },
            refreshTimeouts: { budget.refresh(then: $0) })
        for component in components { try component.addFirstListeners(componentContext) }
        try mediator.addListener(
            RestorationListener(
                mediator: mediator, path: exitRecord.foreign == nil ? paths.stateDirectory + "/state" : nil, log: log))
        let ending = try ServiceEnding(
            loop: loop, mediator: mediator, log: log, finalStatus: finalStatus, exitRecord: exitRecord)
        let context = BelfryService(
            mediator: mediator, loop: loop, descriptors: ServiceDescriptors(descriptors, manager: manager),
            paths: paths, reader: reader,
            onFailure: { ending.fail($0) }, descriptorLimit: limit)
        try compose(context)
        try addRegistered(to: context, except: settings.service.disabledListeners)
        try reader.endDeclarations().write(to: log)
        for component in components { try component.addLastListeners(componentContext) }
        let managerListener = ServiceManagerListener(loop: loop, mediator: mediator, manager: manager)
        try mediator.addListener(managerListener)
        budget.onChange = { timeouts in
            managerListener.unitTimeouts = timeouts
            for component in components { component.unitTimeoutsChanged(timeouts) }
        }
        budget.begin()

        let control = ControlSignal(mediator: mediator, log: log)
        let suspension = try SelfSuspension(
            loop: loop, mediator: mediator, manager: manager, log: log, login: sources.login)
        defer { withExtendedLifetime(suspension) {} }
        sources.login.onIdle = { ending.releaseCode() }
        sources.signals.onStopNow = { ending.stopNow($0) }
        sources.signals.onControl = { control.obey($0) }
        sources.signals.onStorm = { [log] storm in
            log.write(
                .warning, "\(storm.message)", .signalStorm, by: .signal(storm.origin),
                fields: storm.count.map { ["BELFRY_SIGNAL_COUNT": "\($0)"] } ?? [:])
        }
        ending.launch(launch)
        let code = try loop.run()
        for component in components { component.end() }
        finalStatus.send(exitStatus: code)
        log.finish()
        return code
    }

    /// Logs why the service could not run.
    ///
    /// - Returns: the exit code.
    func fail(_ error: any Error) -> Int32 {
        let text: String
        let code: Int32
        if let refusal = error as? ConfigurationRefusal {
            refusal.reading.write(to: log)
            text = "\(refusal)"
            let number = refusal.reading.errorNumber
            finalStatus.set(text, errorNumber: number)
            // Files that could not be read now may be valid, and the service manager may try again.
            code = SystemError.isSystemFailure(number) ? ServiceExit.system : ServiceExit.configuration
        } else {
            log.write(.critical, "\(error)", .failure)
            text = "failed: \(error)"
            finalStatus.set(text, errorNumber: (error as? SystemError)?.code)
            code = ServiceExit.system
        }
        recordExit(text, exitStatus: code)
        finalStatus.send(exitStatus: code)
        log.finish()
        return code
    }

    /// Writes for the next launch why this one failed.
    private func recordExit(_ problem: String, exitStatus: Int32) {
        if let exitRecord { return exitRecord.end(by: .service, .failed, problem: problem, exitStatus: exitStatus) }
        // Without a configuration only the unit says where the state directory is.
        guard Environment.variables["STATE_DIRECTORY"] != nil else { return }
        let now = belfry_clock_usec(CLOCK_REALTIME)
        var record = ExitRecord(.stopped, by: .service, realtimeUsec: now)
        record.reason = .launchRefused
        record.problem = problem
        record.exitStatus = exitStatus
        var run = ServiceRun(
            bootID: SystemIdentity.boot ?? "", invocationID: SystemIdentity.invocation, pid: getpid(),
            startRealtimeUsec: now)
        run.exitRecord = record
        do {
            let files = RunFiles(
                directory: RuntimePaths(options.directoryName, .defaults).stateDirectory,
                service: options.instanceName)
            try files.checkOwner()
            try files.write(run)
        } catch {
            log.write(.warning, "\(error), ignoring", .savedState)
        }
    }

    /// Warns of settings and options that have no effect.
    private func sayWhatIsMissing(_ settings: BelfrySettings) {
        if !settings.caches.isEmpty, !has("cacheFlush") {
            log.write(.warning, "this service flushes no caches, ignoring the sections [Cache]", .configurationDoubt)
        }
        if let time = Watchdog.timeout, time < Watchdog.shortest {
            log.write(
                .warning, "watchdog of \(time.microseconds) us is too short, it hears every 10 ms", .configurationDoubt)
        }
        if let path = options.socketPath, !has("socket") {
            log.write(.warning, "this service has no socket, ignoring '\(path)'", .configurationDoubt)
        }
    }

    private func has(_ component: String) -> Bool { wanted.contains { $0.name == component } }

    /// Adds the listeners that registered themselves.
    private func addRegistered(to service: BelfryService, except disabled: [String]) throws {
        let registrations = ListenerRegistration.all
        for registration in registrations where !disabled.contains(registration.name) {
            try service.mediator.addListener(registration.make(service))
        }
        for name in disabled where !registrations.contains(where: { $0.name == name }) {
            log.write(
                .warning, "no listener '\(name)' of DisabledListeners= registered itself, ignoring",
                .configurationDoubt)
        }
    }

    private func makeExitRecord(
        in paths: RuntimePaths, _ mediator: LifecycleMediator, _ identity: ServiceIdentity
    ) -> ExitRecordStore {
        // Without it the exit record says so.
        try? OwnedDirectory.make(paths.stateDirectory, withParents: true)
        let run = ServiceRun(
            bootID: identity.bootID, invocationID: identity.invocationID, pid: identity.pid,
            startRealtimeUsec: mediator.clock.now.realtimeUsec)
        return ExitRecordStore(
            mediator: mediator, run: run,
            files: RunFiles(directory: paths.stateDirectory, service: options.instanceName), log: log)
    }

    /// The counter of notifications, which continues that of the last process of this boot, and its id. If nothing
    /// can be stored, it begins with 1.
    ///
    /// - Throws: when the system failed to open a counter that may exist: its numbers must not be used again.
    private func sequence(
        in paths: RuntimePaths, _ kept: UInt64?, bootID: String
    ) throws(SystemError) -> (any LifecycleSequence, id: String) {
        do {
            try OwnedDirectory.make(paths.runtimeDirectory)
            let file = try SequenceFile(
                path: paths.runtimeDirectory + "/sequence", service: options.instanceName, bootID: bootID,
                kept: kept
            ) { [log] in log.write(.warning, "\($0)", .savedState) }
            return (file, file.id)
        } catch {
            if let error = error as? SystemError, error.isSystemFailure { throw error }
            let sequence = TransientSequence(after: kept ?? 0)
            log.write(.warning, "\(error), counting notifications from \(sequence.last + 1)", .savedState)
            return (sequence, IdentifierWords.random.text)
        }
    }
}
