// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import BelfryListeners
internal import BelfrySystemd
internal import CBelfry
internal import Glibc
internal import Lifecycle

/// Decides when the process ends, and with which code.
final class ServiceEnding {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let log: ServiceLog
    private let finalStatus: FinalStatus
    private let codeRelease: DeferredEventSource
    private let exitRecord: ExitRecordStore
    private var hasLaunched = false
    private var transitions: LifecycleObservation?
    private var failure: (any Error)?
    private var isRefused = false

    init(
        loop: MainEventLoop, mediator: LifecycleMediator, log: ServiceLog, finalStatus: FinalStatus,
        exitRecord: ExitRecordStore
    )
        throws(SystemError)
    {
        self.loop = loop
        self.mediator = mediator
        self.log = log
        self.finalStatus = finalStatus
        self.exitRecord = exitRecord
        // When the loop is idle, so that work deferred by the launch does not bring them back.
        codeRelease = try loop.deferred { belfry_release_code_pages() }
        codeRelease.priority = 3_000_000
    }

    /// Returns the code pages used so far to the kernel when the loop is idle.
    func releaseCode() { codeRelease.schedule() }

    /// Launches the service. A refused launch ends the process.
    func launch(_ options: LaunchOptions) {
        if let failure {
            exitRecord.end(by: .service, .failed, problem: "\(failure)", exitStatus: ServiceExit.failure)
            return loop.exit(ServiceExit.failure)
        }
        hasLaunched = true
        transitions = mediator.addEventObserver(for: .transitionEnded) { [unowned self] in
            guard case .transitionEnded(let report) = $0 else { return }
            switch (report.trigger, report.result) {
            case (.launch, .refused(let reasons)):
                isRefused = true
                finalStatus.set("launch refused: \(reasons.joined(separator: "; "))", errorNumber: ECANCELED)
                for reason in reasons { log.write(.critical, "launch refused: \(reason)", .failure) }
                exitRecord.end(report, exitStatus: ServiceExit.system)
                loop.exit(ServiceExit.system)
            case (.launch, _): releaseCode()
            case (.stop, _) where !isRefused: end(report)
            default: break
            }
        }
        mediator.perform(.launch, userInfo: options.userInfo)
    }

    /// Stops the service in order; the process then ends with the exit code for a failure.
    func fail(_ error: any Error) {
        log.write(.critical, "failed: \(error)", .failure)
        finalStatus.set("failed: \(error)", errorNumber: (error as? SystemError)?.code)
        failure = failure ?? error
        guard hasLaunched, !mediator.isStopping else { return }
        let userInfo: UserInfo = ["error": .string(String(describing: error))]
        mediator.perform(.stop, userInfo: Termination(.failed).userInfo.merging(userInfo) { $1 })
    }

    /// Writes the status of every listener to the journal, and ends the process without notifying them.
    func stopNow(_ signal: SignalOrigin) {
        mediator.post(.statusRequested, origin: .signal(signal))
        let status = ServiceExit.signal(signal.number)
        exitRecord.end(by: .signal(signal), .signal, exitStatus: status)
        finalStatus.set("stopped at once by \(signal.name) from pid \(signal.pid)")
        log.write(
            .warning, "stopped at once by \(signal.name) from pid \(signal.pid), uid \(signal.uid)", .cutShort,
            by: .signal(signal))
        loop.exit(status)
    }

    private func end(_ report: TransitionReport) {
        var status = failure == nil ? ServiceExit.success : ServiceExit.failure
        if case .signal(let signal) = report.cutShortBy {
            status = ServiceExit.signal(signal.number)
            finalStatus.set("stopped, cut short by \(signal.name) from pid \(signal.pid)\(Self.late(report))")
            log.write(
                .warning, "\(signal.name) during the stop: did not wait for listeners any longer", .cutShort,
                by: .signal(signal))
        } else {
            let late = report.notifications.lazy.flatMap(\.listeners).contains { $0.outcome.isLate }
            if late, failure == nil {
                status = mediator.configuration[BelfrySettings.self]?.service.lateStopExitStatus ?? status
            }
            finalStatus.set("stopped, asked by \(report.origin.words)\(Self.late(report))")
        }
        exitRecord.end(report, exitStatus: status)
        loop.exit(status)
    }

    /// The listeners that missed their deadlines, for `systemctl status`.
    private static func late(_ report: TransitionReport) -> String {
        var names: [String] = []
        for listener in report.notifications.flatMap(\.listeners)
        where listener.outcome.isLate && !names.contains(listener.listener) {
            names.append(listener.listener)
        }
        return names.isEmpty ? "" : ", late: \(names.map { "'\($0)'" }.joined(separator: ", "))"
    }
}
