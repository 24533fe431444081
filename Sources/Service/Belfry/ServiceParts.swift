// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import CBelfry
internal import Glibc
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySources
internal import BelfrySystemd
internal import BelfryLinux

/// The objects of a service, in the order in which they are created. Nothing is connected yet: the mediator has no
/// listeners.
final class ServiceParts {
    let settings: BelfrySettings
    let loop: MainEventLoop
    let paths: RuntimePaths
    /// Of the service; nil without one, and nothing is kept then.
    let lock: OwnedDescriptor?
    let components: [any RunningComponent]
    let counter: String
    let mediator: LifecycleMediator
    let unitBus: SystemBus
    let budget: UnitBudget
    let logger: LoggerListener
    let missing: MissingParts
    let pause: PauseMarker
    let exitRecord: ExitRecordStore
    let ending: ServiceEnding
    let sources: ServiceSources
    /// Sockets and stored descriptors that belong to the service, not to a component.
    let descriptors: [(name: String, descriptor: Int32)]
    let hasSocket: Bool

    init(_ assembly: ServiceAssembly, _ configuration: LifecycleConfiguration, _ wanted: [ServiceComponent]) throws {
        let (options, log, manager) = (assembly.options, assembly.log, assembly.manager)
        let has = { name in wanted.contains { $0.type.name == name } }
        let settings = configuration[BelfrySettings.self] ?? .defaults
        (self.settings, hasSocket) = (settings, has("socket"))
        loop = try MainEventLoop()
        log.begin(on: loop)
        manager.retry(on: loop) { [log] count in
            log.write(.warning, "service manager did not take \(count) messages in time, dropped them", .managerBusy)
        }
        let received = try ListenDescriptors.received()
        let identity = ServiceIdentity(
            service: options.instanceName, version: options.version ?? ReleaseVersion.current,
            bootID: try SystemIdentity.readBoot() ?? "",
            invocationID: SystemIdentity.invocation, pid: getpid(), startUsec: MonotonicInstant.now.microseconds)
        paths = RuntimePaths(options.directoryName, settings)
        let parameters = ComponentParameters(
            options: options, configuration: configuration, identity: identity, log: log, manager: manager,
            received: received)
        let components = try wanted.map { try $0.type.init(parameters) }
        self.components = components
        Self.warn(of: settings, options, log, has)
        let sequence: any LifecycleSequence
        (sequence, counter, lock) = try Self.sequence(
            in: paths, components.compactMap(\.lastSequence).max(), options.instanceName, bootID: identity.bootID, log)
        mediator = LifecycleMediator(
            clock: EventLoopClock(loop), sequence: sequence,
            configuration: configuration, deadlines: LifecycleDeadlines(settings.service),
            readConfiguration: { [reader = assembly.reader] in try reader.read(isDryRun: $0) })
        let bus = SystemBus(loop: loop)
        let unit = ServiceManagerUnit.own(loop: loop, system: bus)
        unitBus = unit?.bus ?? bus
        budget = UnitBudget(mediator: mediator, unit: unit)
        logger = LoggerListener(mediator: mediator, log: log, counter: counter)
        missing = MissingParts(log: log, manager: manager)
        var run = ServiceRun(
            bootID: identity.bootID, invocationID: identity.invocationID, pid: identity.pid,
            startRealtime: mediator.clock.now.realtime)
        pause = try PauseMarker(
            mediator: mediator, run: run, madeBy: options.application.map { [$0.name, "application"] } ?? [],
            lasting: options.application?.pauseMax, of: options.instanceName, in: paths.runtimeDirectory,
            and: options.application == nil ? nil : paths.stateDirectory, isLocked: lock != nil, log: log)
        run.exitRecord = pause.record
        // Without the directory the exit record says so.
        if lock != nil { try? OwnedDirectory.make(paths.stateDirectory, withParents: true) }
        let files = RunFiles(directory: paths.stateDirectory, service: identity.service)
        exitRecord = ExitRecordStore(mediator: mediator, run: run, files: lock == nil ? nil : files, log: log)
        ending = try ServiceEnding(
            loop: loop, mediator: mediator, log: log, exitRecord: exitRecord)
        sources = ServiceSources(
            loop: loop, mediator: mediator, log: log, missing: missing, bus: bus, unit: unit,
            name: options.instanceName, application: options.application,
            ending: ending, pause: pause, control: ControlSignal(mediator: mediator, log: log))
        descriptors = received.descriptors.filter { received in
            !components.contains { $0.owns(descriptorNamed: received.name) }
        }
    }

    /// Why the service was started, and how the run before ended.
    var launch: LaunchOptions {
        var launch = LaunchOptions(environment: Environment.variables)
        launch.cause = exitRecord.launchCause
        launch.isPaused = pause.isPaused
        launch.previousRun = exitRecord.previousRun
        return launch
    }

    /// Warns of settings and options that have no effect.
    private static func warn(
        of settings: BelfrySettings, _ options: ServiceOptions, _ log: ServiceLog, _ has: (String) -> Bool
    ) {
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

    /// The counter of notifications, which continues that of the last process of this boot, its id, and the lock of the
    /// service. If nothing can be stored, it begins with 1.
    ///
    /// - Throws: `RunsAlready`, and when the system failed to open a counter that may exist: its numbers must not be
    ///   used again.
    private static func sequence(
        in paths: RuntimePaths, _ kept: UInt64?, _ service: String, bootID: String, _ log: ServiceLog
    ) throws -> (any LifecycleSequence, counter: String, lock: OwnedDescriptor?) {
        let path = paths.runtimeDirectory + "/sequence"
        var lock: OwnedDescriptor?
        do {
            try OwnedDirectory.make(paths.runtimeDirectory)
            let own = try OwnedDescriptor(locking: path)
            lock = own
            let file = try SequenceFile(own, path: path, service: service, bootID: bootID, kept: kept) { [log] in
                log.write(.warning, "\($0)", .savedState)
            }
            return (file, file.counter, own)
        } catch {
            if let error = error as? SystemError {
                if error.code == EWOULDBLOCK { throw RunsAlready(service: service, file: error.object) }
                if error.isSystemFailure { throw error }
            }
            let counter = IdentifierWords.random.text
            let sequence = TransientSequence(after: kept ?? 0, id: kept == nil ? counter : nil)
            // The other service needs it.
            if error is ForeignFile { lock = nil }
            let keeping = lock == nil ? "keeping nothing and " : ""
            log.write(.warning, "\(error), \(keeping)counting notifications from \(sequence.last + 1)", .savedState)
            return (sequence, counter, lock)
        }
    }
}

/// Another process of the service runs. What it keeps belongs to it: its exit record, its pause, its counter.
nonisolated struct RunsAlready: Error, CustomStringConvertible {
    let service: String
    let file: String

    var description: String {
        "unable to run '\(SystemError.escape(service))': it runs already, "
            + "another process has locked '\(SystemError.escape(file))'"
    }
}
