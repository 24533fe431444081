// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import BelfryListeners
internal import BelfrySystemd
internal import CBelfry
internal import Glibc
internal import Lifecycle

/// Decides when the process ends, and how. The exit record is written then; the service manager is told after the loop
/// has ended.
final class ServiceEnding {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let log: ServiceLog
    private let codeRelease: DeferredEventSource
    private let exitRecord: ExitRecordStore
    private var transitions: LifecycleObservation?
    private var failure: (any Error)?
    /// How the process ends; nil while this is not decided.
    private(set) var end: ServiceEnd?

    init(
        loop: MainEventLoop, mediator: LifecycleMediator, log: ServiceLog, exitRecord: ExitRecordStore
    ) throws(SystemError) {
        self.loop = loop
        self.mediator = mediator
        self.log = log
        self.exitRecord = exitRecord
        // When the loop is idle: what the launch has deferred would load the code pages again.
        codeRelease = try loop.deferred { belfry_release_code_pages() }
        codeRelease.priority = 3_000_000
    }

    /// Returns the code pages used so far to the kernel when the loop is idle.
    func releaseCode() { codeRelease.schedule() }

    /// Launches the service. A refused launch ends the process.
    func launch(_ options: LaunchOptions) {
        if let failure { return finish(ExitRecord(by: .service, .failed), ServiceExit.failure, "\(failure)") }
        transitions = mediator.addEventObserver(for: .transitionEnded) { [unowned self] in
            guard case .transitionEnded(let report) = $0 else { return }
            switch (report.trigger, report.result) {
            case (.launch, .refused(let reasons)):
                for reason in reasons { log.write(.critical, "launch refused: \(reason)", .failure) }
                let text = "launch refused: \(reasons.joined(separator: "; "))"
                finish(ExitRecord(report), ServiceExit.system, text, errorNumber: ECANCELED)
            case (.launch, _): releaseCode()
            case (.stop, _) where end == nil: finish(report)
            default: break
            }
        }
        mediator.perform(.launch, userInfo: options.userInfo)
    }

    /// Stops the service in order; the process then ends with the exit code for a failure.
    func fail(_ error: any Error) {
        log.write(.critical, "failed: \(error)", .failure)
        failure = failure ?? error
        guard transitions != nil, !mediator.isStopping else { return }
        let userInfo: UserInfo = ["error": .string(String(describing: error))]
        mediator.perform(.stop, userInfo: Termination(.failed).userInfo.merging(userInfo) { $1 })
    }

    /// Writes the status of every listener to the journal, and ends the process without notifying them.
    func stopNow(_ signal: SignalOrigin) {
        mediator.post(.statusRequested, origin: .signal(signal))
        let text = "stopped at once by \(signal.name) from pid \(signal.pid)"
        log.write(.warning, "\(text), uid \(signal.uid)", .cutShort, by: .signal(signal))
        finish(ExitRecord(by: .signal(signal), .signal), ServiceExit.signal(signal.number), text)
    }

    /// A stop has ended.
    private func finish(_ report: TransitionReport) {
        let late = Self.late(report)
        if case .signal(let signal) = report.cutShortBy {
            log.write(
                .warning, "\(signal.name) during the stop: did not wait for listeners any longer", .cutShort,
                by: .signal(signal))
            let text = "stopped, cut short by \(signal.name) from pid \(signal.pid)\(late)"
            finish(ExitRecord(report), ServiceExit.signal(signal.number), text)
        } else {
            let statusOfLateStop = mediator.configuration[BelfrySettings.self]?.service.lateStopExitStatus
            finish(
                ExitRecord(report), late.isEmpty ? ServiceExit.success : statusOfLateStop ?? ServiceExit.success,
                "stopped, asked by \(report.origin.words)\(late)")
        }
    }

    /// Ends the process in this way, or, whatever has happened since, by the first failure.
    private func finish(_ record: ExitRecord, _ exitStatus: Int32, _ text: String, errorNumber: Int32? = nil) {
        let end =
            failure.map { ServiceEnd(failed: $0, ServiceExit.failure, record) }
            ?? ServiceEnd(record, exitStatus, text, errorNumber: errorNumber)
        self.end = end
        exitRecord.store(end.record)
        loop.exit(end.exitStatus)
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

/// How the process ends: what the next launch reads, and what `systemctl status` shows.
struct ServiceEnd {
    /// With the exit status.
    private(set) var record: ExitRecord
    let exitStatus: Int32
    let text: String
    let errorNumber: Int32?

    init(_ record: ExitRecord, _ exitStatus: Int32, _ text: String, errorNumber: Int32? = nil) {
        (self.record, self.exitStatus, self.text, self.errorNumber) = (record, exitStatus, text, errorNumber)
        self.record.exitStatus = exitStatus
    }

    /// The service could not run.
    init(notRun error: any Error, _ reason: Termination.Reason) {
        let record = ExitRecord(by: .service, reason)
        guard let refusal = error as? ConfigurationRefusal else {
            self.init(failed: error, ServiceExit.system, record)
            return
        }
        let number = refusal.reading.errorNumber
        // Files that could not be read now may be valid, and the service manager may try again.
        let code = SystemError.isSystemFailure(number) ? ServiceExit.system : ServiceExit.configuration
        self.init(record, code, "\(refusal)", errorNumber: number)
        self.record.problem = text
    }

    /// An end by an error.
    init(failed error: any Error, _ exitStatus: Int32, _ record: ExitRecord) {
        self.init(record, exitStatus, "failed: \(error)", errorNumber: (error as? SystemError)?.code)
        self.record.problem = record.problem ?? "\(error)"
    }

    /// Tells the service manager, after all messages that wait for it (`STATUS=`, `ERRNO=`, and `EXIT_STATUS=` since
    /// systemd 254). The error is told only if the process fails.
    func tell(_ manager: ServiceManagerSocket) {
        var messages: [ServiceManagerMessage] = [.exitStatus(exitStatus), .status(text)]
        if let errorNumber, exitStatus != 0 { messages.append(.errorNumber(errorNumber)) }
        manager.send(messages)
        manager.finish()
    }
}

extension ExitRecord {
    /// The process ends after this transition.
    fileprivate init(_ report: TransitionReport) { self.init(.stopped, report, realtime: Self.now) }

    /// The process ends without a transition.
    init(by origin: LifecycleOrigin, _ reason: Termination.Reason) {
        self.init(.stopped, by: origin, realtime: Self.now)
        self.reason = reason
    }

    private static var now: Duration { .microseconds(belfry_clock_usec(CLOCK_REALTIME)) }
}

/// The exit codes of a service, those of sysexits(3) where one fits.
package nonisolated enum ServiceExit {
    /// It stopped in order.
    package static let success: Int32 = 0
    /// The command line was not understood.
    package static let usage: Int32 = 64
    /// A part of the service failed (`BelfryService.fail(_:)`).
    package static let failure: Int32 = 70
    /// The system refused something, or the launch was refused.
    package static let system: Int32 = 71
    /// The configuration is wrong.
    package static let configuration: Int32 = 78

    /// Cut short by this signal.
    package static func signal(_ number: Int32) -> Int32 { 128 + number }
}
