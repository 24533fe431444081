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
        // Who has not the lock keeps nothing.
        let failedStop = (parts.lock == nil ? nil : options.application).map {
            FailedStop(of: $0, in: parts.paths.runtimeDirectory, mediator: parts.mediator, log: log)
        }
        return ComponentContext(
            loop: parts.loop, mediator: parts.mediator, unitBus: parts.unitBus, paths: parts.paths,
            isLocked: parts.lock != nil,
            describeRun: { [exitRecord = parts.exitRecord] in
                launch.merging(exitRecord.userInfo) { $1 }.merging(failedStop?.userInfo ?? [:]) { $1 }
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
