// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import BelfryLinux
import BelfrySystemd
import Lifecycle

/// Asks for a run of `Health=` when one is due, and reports what comes of it. The first one is due at once. None is
/// while the service is not active.
@MainActor
final class HealthMonitor {
    private let check: HealthCheck
    private let loop: MainEventLoop
    private let log: ListenerLog
    private let begin: () -> Void
    private let report: (ListenerHealth) -> Void
    private var record: HealthRecord
    private var state = ""
    /// Whether the service has been paused since it was active.
    private var wasPaused = false
    private var timer: TimerEventSource?
    /// Whether a run that was due was ended by a command, or could not begin beside one.
    private var isOwed = false

    /// - Parameters:
    ///   - begin: begins a run, unless another one is under way.
    ///   - report: tells the service of a success, and of a change.
    init(
        _ check: HealthCheck, on loop: MainEventLoop, log: ListenerLog, begin: @escaping () -> Void,
        report: @escaping (ListenerHealth) -> Void
    ) {
        (self.check, self.loop, self.log, self.begin, self.report) = (check, loop, log, begin, report)
        let start = MonotonicInstant.now.advanced(by: check.schedule.start)
        record = HealthRecord(retries: check.schedule.retries, countingFrom: start)
    }

    /// The service, perhaps another process, is in this state.
    func attached(in state: String) {
        (self.state, wasPaused) = (state, state == "background")
        self.check(isAfterResume: false)
    }

    /// The service has come to this state, or is gone: an empty one.
    func changed(to new: String) {
        state = new
        if new == "background" { wasPaused = true }
        guard new == "active" else { return timer = nil }
        check(isAfterResume: wasPaused)
        wasPaused = false
    }

    /// Runs the check now, if the service is active, and in intervals from now on.
    func check(isAfterResume: Bool = false) {
        guard state == "active" else { return }
        if isAfterResume { record.isStrict = true }
        let interval = check.schedule.interval
        do throws(SystemError) {
            timer = try loop.timer(after: interval, accuracy: interval / 10) { [weak self] in
                self?.check()
            }
        } catch {
            log.message(.warning, "\(error), Health= is not repeated", .programFailed)
        }
        isOwed = true
        begin()
    }

    /// No command runs any more.
    func makeUp() { if isOwed, state == "active" { begin() } }

    /// A run has ended.
    func receive(_ result: RunResult) {
        if case .interrupted = result { return }
        isOwed = false
        let wasDegraded = record.isDegraded
        let isTold = record.add(result, at: .now)
        if !wasDegraded, let reason = result.reason {
            let text: RecordText = "Health= failed: \(reason, limit: OutputLines.longestLine)\(record.tally)"
            log.message(.notice, text, .programFailed)
        }
        if isTold { report(record.health) }
    }
}

/// Decides what the results of `Health=` mean.
nonisolated struct HealthRecord {
    /// What is said before the first result.
    static let unknown = ListenerHealth.unknown(HealthCheck.hasNotRun)

    /// Whether the application works.
    private(set) var health = HealthRecord.unknown
    /// Whether one failure is enough: the application was resumed.
    var isStrict = false
    private var failures = 0
    private let retries: Int
    /// From when on failures count, even without a success.
    private let start: MonotonicInstant

    init(retries: Int, countingFrom start: MonotonicInstant) { (self.retries, self.start) = (retries, start) }

    var isDegraded: Bool { if case .degraded = health { true } else { false } }

    /// ` (2 of 3)`, as long as failures do not count yet.
    var tally: String { isDegraded || failures == 0 ? "" : " (\(failures) of \(retries))" }

    /// Adds a result.
    ///
    /// - Returns: whether it is told: a change, or a success, whose time is shown. The service takes the time of each
    ///   report of health for that.
    mutating func add(_ result: RunResult, at now: MonotonicInstant) -> Bool {
        let before = health
        switch result {
        case .interrupted: return false
        case .succeeded: (failures, health) = (0, .healthy)
        case .failed(let reason), .overran(let reason):
            let text = "Health= failed: \(reason)"
            if health.isUnknown { health = .unknown(text) }
            if health.isUnknown, now < start { return health != before }
            failures += 1
            if isStrict || failures >= retries { health = .degraded(text) }
        }
        isStrict = false
        return health != before || failures == 0
    }
}
