// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import BelfryLinux
import BelfrySystemd

/// Asks for a run of `Health=` when one is due, and reports what comes of it. None is due while the service is not
/// active.
@MainActor
final class HealthMonitor {
    private let check: HealthCheck
    private let loop: MainEventLoop
    private let log: ListenerLog
    private let begin: () -> Void
    private let report: (String?) -> Void
    private var record = HealthRecord()
    private var state = ""
    /// Whether the service has been paused since it was active.
    private var wasPaused = false
    private var timer: TimerEventSource?
    /// Whether a run that was due was ended by a command, or could not begin beside one.
    private var isOwed = false

    /// - Parameters:
    ///   - begin: begins a run, unless another one is under way.
    ///   - report: tells the service a change: nil when the check succeeds, or else why not.
    init(
        _ check: HealthCheck, on loop: MainEventLoop, log: ListenerLog, begin: @escaping () -> Void,
        report: @escaping (String?) -> Void
    ) {
        (self.check, self.loop, self.log, self.begin, self.report) = (check, loop, log, begin, report)
    }

    /// The service, perhaps another process, is in this state.
    func attached(in state: String) {
        (self.state, wasPaused) = (state, state == "background")
        self.check(isAfterResume: false)
    }

    /// The service is gone.
    func detached() { changed(to: "") }

    /// The service has come to this state.
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
        do throws(SystemError) {
            timer = try loop.timer(after: check.interval, accuracy: check.interval / 10) { [weak self] in
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
        if case .failed(let reason) = result, record.problem == nil {
            log.message(.notice, "Health= failed: \(reason, limit: OutputLines.longestLine)", .programFailed)
        }
        if case .interrupted = result { return }
        isOwed = false
        if record.add(result) { report(record.problem) }
    }
}

/// Decides what the results of `Health=` mean.
nonisolated struct HealthRecord {
    /// How many failures in a row make a problem.
    static let most = 3

    /// Why the application does not work; nil while it does.
    private(set) var problem: String?
    /// Whether one failure is enough: the application was resumed.
    var isStrict = false
    private var failures = 0

    /// Adds a result.
    ///
    /// - Returns: whether the problem has changed.
    mutating func add(_ result: RunResult) -> Bool {
        let before = problem
        switch result {
        case .interrupted: return false
        case .succeeded: (failures, problem) = (0, nil)
        case .failed(let reason), .overran(let reason):
            failures += 1
            if isStrict || failures >= Self.most { problem = "Health= failed: \(reason)" }
        }
        isStrict = false
        return problem != before
    }
}
