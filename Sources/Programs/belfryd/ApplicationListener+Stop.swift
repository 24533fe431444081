// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// A stop of the unit that is called off, by `systemctl start` or `systemctl cancel`, after `Stop=` has begun: the unit
/// runs on, and `Resume=` undoes what `Stop=` has done.
extension ApplicationListener {
    var stopRemains: String { "Stop= has run, and \(settings.unit) runs on" }

    /// Whether `Stop=` has run and was not undone in this run of the unit, which does not stop.
    var isStopLeft: Bool {
        guard let state = unit?.state, state.isActive, !mediator.isStopping else { return false }
        return runs.marks.contains(.stopped) && state.invocationID == runs.last
    }

    /// Notes that `Stop=` runs for the present run of the unit, whatever becomes of this process, or that the unit has
    /// ended before it.
    func stopBegins(_ notification: LifecycleNotification) {
        let isOver = notification.userInfo["unitJob"] == "over"
        guard let run = runs.last, isOver || isAttached && settings.key(for: notification) != nil else { return }
        keep(run, runs.marks.union([.stopped]))
    }

    /// `Stop=` has run: if the unit is not to be stopped any more, it is undone before this process ends, since nobody
    /// may start it again.
    func endStop(_ notification: LifecycleNotification, _ done: @escaping (AnswerEnd) -> Void) {
        do { try check(notification) } catch { return done(AnswerEnd(.failed("\(error)"))) }
        guard settings.key(for: notification) != nil else { return done(.completed) }
        let manager = ServiceManagerUnit(name: settings.unit, on: bus)
        manager.ending(with: settings.unit, timeout: ServiceManagerUnit.longestAnswer) { [self] in
            // The next process of this run of the unit asks again. After `systemctl cancel` there is none.
            guard case .success(let ending?) = $0.map(\.application) else {
                return done(AnswerEnd(.failed("systemd does not say whether \(settings.unit) still stops")))
            }
            guard ending == ApplicationEnding.none, unit?.state?.invocationID == runs.last else {
                return done(.completed)
            }
            guard mayUndoStop else { return done(AnswerEnd(.failed(stopRemains))) }
            undoStop { [self] in
                done(runs.marks.contains(.stopped) ? AnswerEnd(.failed(stopRemains)) : .completed)
            }
        }
    }

    /// Runs `Resume=`, and forgets the stop if that succeeds.
    func undoStop(then completion: @escaping () -> Void) {
        guard let run = runs.last, settings.command(at: .willEnterForeground) != nil else {
            log.write(.warning, "\(stopRemains): its stop was called off, and there is no Resume=", .application)
            return completion()
        }
        log.write(.notice, "\(stopRemains): its stop was called off, Resume= is run", .application)
        let info: UserInfo = ["unit": .string(settings.unit), "invocationId": .string(run)]
        mediator.post(ApplicationVerb.unitDidNotStop, userInfo: info) { [weak self] report in
            if self?.hasResumed(report) == true { self?.forgetStop() }
            completion()
        }
    }

    /// Whether `Resume=` ran and did not fail.
    func hasResumed(_ report: LifecycleReport) -> Bool {
        [.willEnterForeground, ApplicationVerb.unitDidNotStop].contains(report.notification.name)
            && settings.command(at: .willEnterForeground) != nil
            && report.listeners.contains { $0.listener == settings.name && !$0.outcome.isProblem }
    }

    /// What `Stop=` has done does not count any more.
    func forgetStop() {
        guard let run = runs.last, runs.marks.contains(.stopped) else { return }
        forget(.stopped, of: run)
    }
}
