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
/// process would not know.
package final class PauseMarker {
    /// Who paused the service, and when; nil if it is not marked as paused, and if the file of an earlier process does
    /// not say.
    package private(set) var record: ExitRecord?
    /// Whether the service is marked as paused.
    package private(set) var isPaused = false

    private var run: ServiceRun
    private let service: String
    private let makers: [String]
    private let directory: String
    private let file: StateFile
    private let log: ServiceLog
    private unowned let mediator: LifecycleMediator
    private var observations: [LifecycleObservation] = []
    private var isAtEnd = false
    private var hasFailed = false
    private var hasWarned = false

    /// Reads what the last process left. A file that cannot be read or understood is a marker too: to stay paused
    /// without need does less harm than to start to work without permission.
    ///
    /// - Parameters:
    ///   - mediator: whose pauses are marked.
    ///   - run: this run. The marker of another boot is removed.
    ///   - makers: the listeners that make the pause, those of an application; if one fails, there is none to keep.
    ///   - service: the name of the service. The marker of another service is neither used nor replaced.
    ///   - directory: the runtime directory. Nothing is read or written in one that another user may have made.
    ///   - log: receives what could not be read or written.
    /// - Throws: when the system failed to read a marker that may exist.
    package init(
        mediator: LifecycleMediator, run: ServiceRun, madeBy makers: [String] = [], of service: String,
        in directory: String, log: ServiceLog
    ) throws(SystemError) {
        (self.mediator, self.run, self.service, self.directory, self.log) = (mediator, run, service, directory, log)
        self.makers = makers
        file = StateFile(path: directory + "/paused", limit: RunRecord.sizeMax)
        try read()
        observations = [
            mediator.addObserver(forName: .didEnterBackground) { [unowned self, unowned mediator] in
                if $0.trigger == .pause, !mediator.isPausingForSleep { mark(by: $0.origin) }
            },
            mediator.addObserver(forName: .didBecomeActive) { [unowned self] _ in
                hasFailed = false
                remove()
            },
            // A pause that found the service in the background, where it was because of a sleep.
            mediator.addEventObserver(for: .transitionEnded) { [unowned self] in
                guard case .transitionEnded(let report) = $0, report.trigger == .pause, !report.isForSleep else {
                    return
                }
                check(report)
                mark(by: report.origin)
            },
        ]
    }

    private func check(_ report: TransitionReport) {
        let calls = report.notifications.filter { $0.notification.name == .didEnterBackground }.flatMap(\.listeners)
        guard calls.contains(where: { makers.contains($0.listener) && $0.outcome.isProblem }) else { return }
        hasFailed = true
        remove()
    }

    /// Ends the pause with this process: the service manager stops the unit, which is to stay stopped.
    package func end() {
        isAtEnd = true
        remove()
    }

    private func read() throws(SystemError) {
        do {
            try OwnedDirectory.make(directory)
        } catch {
            // The counter of notifications, in the same directory, has warned of a refusal.
            if error.isSystemFailure { throw error }
            return
        }
        do {
            guard let bytes = try file.read() else { return }
            try checkOwner(bytes)
            isPaused = true
            let paused = try RunRecord.run(bytes)
            guard paused.bootID == run.bootID else { return remove() }
            record = paused.exitRecord
            if let record {
                log.write(.notice, "starting paused, by \(record.origin.words)", .transition, by: record.origin)
            }
        } catch let foreign as ForeignFile {
            log.write(.warning, "\(foreign), ignoring", .savedState)
        } catch {
            let failure = error as? SystemError
            if let failure, failure.isSystemFailure { throw failure }
            isPaused = true
            let reason = failure?.description ?? "unable to use '\(file.path)': \(error)"
            log.write(.warning, "\(reason), starting paused", .savedState)
        }
    }

    private func mark(by origin: LifecycleOrigin) {
        guard mediator.state == .background, !isPaused, !isAtEnd, !hasFailed else { return }
        run.exitRecord = ExitRecord(.paused, by: origin, realtime: mediator.clock.now.realtime)
        do {
            try OwnedDirectory.make(directory)
            if let bytes = try? file.read() { try checkOwner(bytes) }
            try file.write(RunRecord.encode(run, of: service), durably: false)
            (isPaused, record) = (true, run.exitRecord)
        } catch {
            warn("\(error), the pause ends with this process")
        }
    }

    private func remove() {
        guard isPaused else { return }
        (isPaused, record) = (false, nil)
        do throws(SystemError) { try file.remove() } catch { warn("\(error), the next start is paused") }
    }

    private func checkOwner(_ bytes: [UInt8]) throws(ForeignFile) {
        guard let owner = RunRecord.service(bytes), !owner.hasSameBytes(as: service) else { return }
        throw ForeignFile(file.path, of: owner, use: "RuntimeDirectory=")
    }

    /// The same problem is logged once.
    private func warn(_ text: RecordText) {
        if !hasWarned { log.write(.warning, text, .savedState) }
        hasWarned = true
    }
}
