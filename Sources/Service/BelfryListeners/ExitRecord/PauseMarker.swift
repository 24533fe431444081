// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import BelfrySystemd
package import Lifecycle

/// Keeps a pause over the end of the process: a file in the runtime directory marks the service as paused, and the next
/// process launches into the background.
///
/// The file is the record of the run that was paused. It is written when the service enters the background, and removed
/// when the service becomes active, and by `end()`. Whatever else ends the process leaves it. A pause for the machine's
/// sleep is not marked: the wake-up ends it. Nor is one whose command failed: the application runs on, which the next
/// process would not know. One whose `Resume=` has failed stays marked: the next process is paused, until it is resumed
/// or the unit starts again. It also ends a pause that lasts too long, and says whose pause ends that nobody has ended.
package final class PauseMarker {
    /// Who paused the service, when and why; nil while it is not paused, and if the file of an earlier process does not
    /// say.
    package var record: ExitRecord? { run.exitRecord }
    /// Whether the service is marked as paused.
    package var isPaused: Bool { marker == .present || marker == .kept }

    private enum Marker {
        case absent, present
        /// A listener that makes the pause has failed to end it: the service becomes active, and the marker stays.
        case kept
        /// The unit ends: no pause is marked any more.
        case over
    }

    private var marker = Marker.absent
    private var run: ServiceRun
    private let service: String
    private let makers: [String]
    private let directory: String
    private let isLocked: Bool
    /// That in the runtime directory, then one in the state directory, which outlives the machine.
    private let files: [StateFile]
    private let log: ServiceLog
    private unowned let mediator: LifecycleMediator
    private var observations: [LifecycleObservation] = []
    private let longest: Duration?
    private var timer: (any LifecycleTimer)?
    private var hasWarned = false

    /// Reads what the last process left. A file that cannot be read or understood is a marker too: to stay paused
    /// without need does less harm than to start to work without permission.
    ///
    /// - Parameters:
    ///   - mediator: whose pauses are marked.
    ///   - run: this run. The marker of another boot is removed.
    ///   - makers: the listeners that make the pause, those of an application; if one fails, there is none to keep.
    ///   - longest: how long a pause may last, by the clock of the machine; nil for as long as nobody ends it.
    ///   - service: the name of the service. The marker of another service is neither used nor replaced.
    ///   - directory: the runtime directory. Nothing is read or written in one that another user may have made.
    ///   - stateDirectory: that of an application: what its command has made may outlive the machine, so that the pause
    ///     goes on in another boot. Nil for a service, which begins anew then.
    ///   - isLocked: whether this process has the lock of the service. Without it, nothing is written or removed.
    ///   - log: receives what could not be read or written.
    /// - Throws: when the system failed to read a marker that may exist.
    package init(
        mediator: LifecycleMediator, run: ServiceRun, madeBy makers: [String] = [], lasting longest: Duration? = nil,
        of service: String, in directory: String, and stateDirectory: String? = nil, isLocked: Bool = true,
        log: ServiceLog
    ) throws(SystemError) {
        (self.mediator, self.run, self.service, self.directory, self.log) = (mediator, run, service, directory, log)
        (self.makers, self.longest, self.isLocked) = (makers, longest, isLocked)
        files = [directory, stateDirectory].compactMap { $0 }.map {
            StateFile(path: $0 + "/paused", limit: RunRecord.sizeMax)
        }
        try read()
        observations = [
            mediator.addObserver(forName: .didEnterBackground) { [unowned self, unowned mediator] in
                guard $0.trigger == .pause, !mediator.isPausingForSleep else { return }
                mark(by: $0.origin, because: $0.userInfo.text("reason"))
            },
            mediator.addObserver(forName: .didBecomeActive) { [unowned self] in resumed($0.userInfo.text("reason")) },
            // The timer has not counted the time asleep.
            mediator.addObserver(forName: .didWake) { [unowned self] _ in limit() },
            mediator.addEventObserver(for: .transitionEnded) { [unowned self] in
                if case .transitionEnded(let report) = $0 { ended(report) }
            },
            // A pause that a stop overtakes has no end.
            mediator.addEventObserver(for: .listenerFailed) { [unowned self] in
                guard case .listenerFailed(let call, let notification) = $0, makers.contains(call.listener) else {
                    return
                }
                guard isPaused else { return }
                if notification.name == .willEnterForeground { marker = .kept }
                guard notification.name == .didEnterBackground, notification.trigger == .pause else { return }
                // Each time, and no reason to be silent about a file afterwards.
                let text: RecordText = "\(call.listener) has failed to pause, the pause ends with this process"
                log.write(.warning, text, .savedState)
                remove()
            },
        ]
    }

    private func ended(_ report: TransitionReport) {
        if report.trigger == .launch { limit() }
        guard report.trigger == .pause, !report.isForSleep, report.notifications.isEmpty else { return }
        // It found the service in the background, where it was because of a sleep.
        if record == nil, !isPaused { mark(by: report.origin, because: report.reason) }
    }

    /// A resume has a reason if it was not asked for.
    private func resumed(_ reason: String?) {
        if let record, let reason {
            let pause: RecordText = "the pause since \(time: record.realtime.wholeMicroseconds) by \(record.words)"
            log.write(.warning, "\(reason), which ends \(pause)", .transition, by: record.origin)
        }
        run.exitRecord = nil
        if marker == .kept { marker = .present } else { remove() }
        limit()
    }

    /// Ends the pause when it has lasted for the longest time.
    private func limit() {
        timer?.cancel()
        guard let longest, isPaused || record != nil else { return timer = nil }
        let now = mediator.clock.now.realtime
        // A clock that was set back does not make it longer.
        let left = min(max((record?.realtime ?? now) + longest - now, .zero), longest)
        timer = mediator.clock.schedule(after: left) { [weak mediator] in
            mediator?.perform(.resume, userInfo: ["reason": "PauseMax= has passed"])
        }
    }

    /// Ends the pause with this process: the service manager stops the unit, which is to stay stopped.
    package func end() {
        remove()
        marker = .over
    }

    private func read() throws(SystemError) {
        do {
            try OwnedDirectory.make(directory)
        } catch {
            // The counter of notifications, in the same directory, has warned of a refusal.
            if error.isSystemFailure { throw error }
            return
        }
        for file in files where !isPaused { try read(file) }
    }

    private func read(_ file: StateFile) throws(SystemError) {
        do {
            guard let bytes = try file.read() else { return }
            try check(bytes, of: file)
            marker = .present
            let paused = try RunRecord.run(bytes)
            guard files.count > 1 || paused.bootID == run.bootID else { return remove() }
            run.exitRecord = paused.exitRecord
            if let record {
                log.write(.notice, "starting paused, by \(record.words)", .transition, by: record.origin)
            }
        } catch let foreign as ForeignFile {
            log.write(.warning, "\(foreign), ignoring", .savedState)
        } catch {
            let failure = error as? SystemError
            if let failure, failure.isSystemFailure { throw failure }
            marker = .present
            let reason = failure?.description ?? "unable to use '\(file.path)': \(error)"
            log.write(.warning, "\(reason), starting paused", .savedState)
        }
    }

    private func mark(by origin: LifecycleOrigin, because reason: String?) {
        guard mediator.state == .background, marker != .over else { return }
        run.exitRecord = ExitRecord(.paused, by: origin, realtime: mediator.clock.now.realtime)
        run.exitRecord?.pauseReason = reason
        limit()
        guard isLocked else { return warn("the pause ends with this process, which has no lock of the service") }
        var end = "this process"
        do {
            try OwnedDirectory.make(directory)
            for file in files {
                try checkOwner(of: file)
                try file.write(RunRecord.encode(run, of: service), durably: false)
                (marker, end) = (.present, "the machine")
            }
        } catch {
            warn("\(error), the pause ends with \(end)")
        }
    }

    private func remove() {
        guard isPaused else { return }
        marker = .absent
        guard isLocked else { return }
        do throws(SystemError) {
            for file in files.reversed() where (try? checkOwner(of: file)) != nil { try file.remove() }
        } catch {
            warn("\(error), the next start is paused")
        }
    }

    private func checkOwner(of file: StateFile) throws(ForeignFile) {
        if let bytes = try? file.read() { try check(bytes, of: file) }
    }

    private func check(_ bytes: [UInt8], of file: StateFile) throws(ForeignFile) {
        guard let owner = RunRecord.service(bytes), !owner.hasSameBytes(as: service) else { return }
        throw ForeignFile(file.path, of: owner, use: file == files[0] ? "RuntimeDirectory=" : "StateDirectory=")
    }

    /// The same problem is logged once.
    private func warn(_ text: RecordText) {
        if !hasWarned { log.write(.warning, text, .savedState) }
        hasWarned = true
    }
}
