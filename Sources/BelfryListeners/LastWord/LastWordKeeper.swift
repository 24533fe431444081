// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
internal import BelfrySystemd
internal import BelfryLinux

/// Writes down who pauses and ends the service and why, so that the next launch knows.
///
/// A run begins with a mark that says it is alive. A stop adds its word when it is accepted, so that something is left
/// when it does not end in order, and all of it when it has. A pause adds its word, and a continue takes it back.
package final class LastWordKeeper {
    /// What the last run left.
    package let found: RunFiles.Found
    private var run: ServiceRun
    private let files: RunFiles
    private let log: ServiceLog
    private unowned let mediator: LifecycleMediator
    private var observations: [LifecycleObservation] = []
    private var hasWarned = false

    /// Reads what the last run left, and marks this one as alive.
    ///
    /// - Parameters:
    ///   - mediator: whose pauses and stops are written down.
    ///   - run: this run.
    ///   - files: where. Nothing is kept while their directory is not there.
    ///   - log: hears what could not be read or written.
    package init(mediator: LifecycleMediator, run: ServiceRun, files: RunFiles, log: ServiceLog) {
        self.mediator = mediator
        self.run = run
        self.files = files
        self.log = log
        var problems: [String] = []
        found = files.read(problems: &problems)
        for problem in problems { log.write(.warning, "\(problem)", .savedState) }
        if let foreign { log.write(.warning, "\(foreign), keeping nothing", .savedState) }
        if let absence = files.absence {
            log.write(.notice, "\(absence), use StateDirectory= of the unit", .savedState)
        }
        write()
        observations = [
            mediator.addObserver(forName: .willTerminate) { [unowned self] in take($0) },
            mediator.addEventObserver(for: [.stopAccepted, .transitionEnded]) { [unowned self] in
                switch $0 {
                case .stopAccepted(let origin): begin(by: origin)
                case .transitionEnded(let report): take(report)
                default: break
                }
            },
        ]
    }

    /// Whose the directory is, when it is another service's: nothing of it may be used.
    package var foreign: ForeignFile? { if case .foreign(let foreign) = found { foreign } else { nil } }

    /// The last word there is: of this run while it is paused or stops, else of the one before.
    package var lastWord: LastWord? {
        if let word = run.lastWord { return word }
        if case .run(let previous) = found { return previous.lastWord }
        return nil
    }

    /// `lastWord`, if there is one, for the socket.
    package var userInfo: UserInfo { lastWord.map { ["lastWord": .object($0.userInfo)] } ?? [:] }

    /// The run before this one.
    package var previousRun: ServiceRun? { if case .run(let run) = found { run } else { nil } }

    /// What this start follows; nil when that cannot be told.
    package var launchCause: LaunchCause? {
        if found == .refused || foreign != nil || (found == .nothing && files.absence != nil) { return nil }
        return LaunchCause(after: previousRun, bootID: run.bootID)
    }

    /// The process is about to end, after a transition.
    package func end(_ report: TransitionReport, exitStatus: Int32) {
        say(LastWord(.stopped, report, realtimeUsec: now, exitStatus: exitStatus))
    }

    /// The process is about to end, without a transition.
    package func end(
        by origin: LifecycleOrigin, _ reason: Termination.Reason, problem: String? = nil, exitStatus: Int32
    ) {
        var word = LastWord(.stopped, by: origin, realtimeUsec: now)
        word.reason = reason
        word.problem = problem
        word.exitStatus = exitStatus
        say(word)
    }

    private func begin(by origin: LifecycleOrigin) {
        guard run.lastWord?.kind != .stopped else { return }
        say(LastWord(.stopping, by: origin, realtimeUsec: now))
    }

    private func take(_ notification: LifecycleNotification) {
        guard notification.trigger == .stop else { return }
        var word = LastWord(.stopping, by: notification.origin, realtimeUsec: notification.time.realtimeUsec)
        word.take(notification)
        say(word)
    }

    private func take(_ report: TransitionReport) {
        switch report.trigger {
        case .pause where mediator.state == .background && !report.notifications.isEmpty && !mediator.isStopping:
            say(LastWord(.paused, report, realtimeUsec: now))
        case .resume, .continued, .endSuspension:
            guard run.lastWord?.kind == .paused, mediator.state == .active else { return }
            say(nil)
        default: break
        }
    }

    private var now: UInt64 { mediator.clock.now.realtimeUsec }

    private func say(_ word: LastWord?) {
        run.lastWord = word
        write()
    }

    private func write() {
        guard foreign == nil, files.absence == nil else { return }
        do throws(SystemError) {
            try files.write(run)
        } catch {
            // Once is enough: what prevents it will go on doing so.
            if !hasWarned { log.write(.warning, "\(error), ignoring", .savedState) }
            hasWarned = true
        }
    }
}
