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
        return hasStopped && state.invocationID == runs.last?.id
    }

    private var hasStopped: Bool { runs.last?.marks.contains(.stopped) == true }

    /// Notes that `Stop=` runs for the present run of the unit, whatever becomes of this process, or that the unit has
    /// ended before it.
    func stopBegins(_ notification: LifecycleNotification) {
        let isOver = notification.userInfo["unitJob"] == "over"
        if isOver || isAttached && settings.key(for: notification) != nil { change { $0.marks.insert(.stopped) } }
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
            guard ending == ApplicationEnding.none, unit?.state?.invocationID == runs.last?.id else {
                return done(.completed)
            }
            guard mayUndoStop else { return done(AnswerEnd(.failed(stopRemains))) }
            undoStop { [self] in
                done(hasStopped ? AnswerEnd(.failed(stopRemains)) : .completed)
            }
        }
    }

    /// Runs `Resume=`.
    func undoStop(then completion: @escaping () -> Void) {
        guard let run = runs.last, settings.command(at: .willEnterForeground) != nil else {
            log.write(.warning, "\(stopRemains): its stop was called off, and there is no Resume=", .application)
            return completion()
        }
        log.write(.notice, "\(stopRemains): its stop was called off, Resume= is run", .application)
        let info: UserInfo = ["unit": .string(settings.unit), "invocationId": .string(run.id)]
        mediator.post(ApplicationVerb.unitDidNotStop, userInfo: info) { _ in completion() }
    }

    /// Whether what `Stop=` has done does not count any more, because `Resume=` has succeeded.
    func isUndone(_ report: LifecycleReport) -> Bool {
        hasStopped && settings.command(for: report.notification)?.verb == .resume
            && report.listeners.contains { $0.listener == settings.name && !$0.outcome.isProblem }
    }
}
