// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
internal import BelfrySystemd
package import BelfryLinux

/// Writes the exit record for the next launch: who pauses or ends the service, and why.
///
/// A run begins with a record without an end. When a stop is accepted, its origin is added, in case it does not end in
/// order. The rest is added when the stop has ended. A pause adds a record, and a continue removes it.
package final class ExitRecordStore {
    /// What the last run left.
    package let found: RunFiles.Found
    private var run: ServiceRun
    private let files: RunFiles?
    private let log: ServiceLog
    private unowned let mediator: LifecycleMediator
    private var observations: [LifecycleObservation] = []
    private var hasWarned = false

    /// Reads what the last run left, and begins the record of this one.
    ///
    /// - Parameters:
    ///   - mediator: whose pauses and stops are recorded.
    ///   - run: this run.
    ///   - files: the files. Nothing is written if their directory does not exist. Nil for a process that may neither
    ///     read nor write them.
    ///   - log: receives what could not be read or written.
    package init(mediator: LifecycleMediator, run: ServiceRun, files: RunFiles?, log: ServiceLog) {
        self.mediator = mediator
        self.run = run
        self.files = files
        self.log = log
        var problems: [String] = []
        found = files?.read(problems: &problems) ?? .refused
        for problem in problems { log.write(.warning, "\(problem)", .savedState) }
        if let foreign { log.write(.warning, "\(foreign), keeping nothing", .savedState) }
        write()
        observations = [
            mediator.addObserver(forName: .willTerminate) { [unowned self] in update($0) },
            mediator.addEventObserver(for: .stopAccepted, .transitionEnded) { [unowned self] in
                switch $0 {
                case .stopAccepted(let origin): begin(by: origin)
                case .transitionEnded(let report): update(report)
                default: break
                }
            },
        ]
    }

    /// The owner of the directory, if it is another service: nothing in it may be used.
    package var foreign: ForeignFile? { if case .foreign(let foreign) = found { foreign } else { nil } }

    /// Whether the state directory is ours to use.
    package var keepsFiles: Bool { files != nil && foreign == nil }

    /// Why nothing is written: the directory does not exist. Nil when it does.
    package var absence: SystemError? { files?.absence }

    /// The latest record: of this run while it is paused or stops, else of the run before.
    package var exitRecord: ExitRecord? {
        if let record = run.exitRecord { return record }
        if case .run(let previous) = found { return previous.exitRecord }
        return nil
    }

    /// The last pause that has ended in this run, with its end.
    private var endedPause: UserInfo?

    /// What is known last, for the socket: `exitRecord`, or a pause that has ended since.
    package var userInfo: UserInfo {
        let word = run.exitRecord?.userInfo ?? endedPause ?? exitRecord?.userInfo
        return word.map { ["lastWord": .object($0)] } ?? [:]
    }

    /// The run before this one.
    package var previousRun: ServiceRun? { if case .run(let run) = found { run } else { nil } }

    /// Why the service starts; nil if this is not known.
    package var launchCause: LaunchCause? {
        if found == .refused || foreign != nil || (found == .nothing && absence != nil) { return nil }
        return LaunchCause(after: previousRun, bootID: run.bootID)
    }

    private func begin(by origin: LifecycleOrigin) {
        guard run.exitRecord?.kind != .stopped else { return }
        store(ExitRecord(.stopping, by: origin, realtime: now))
    }

    private func update(_ notification: LifecycleNotification) {
        guard notification.trigger == .stop else { return }
        var record = ExitRecord(.stopping, by: notification.origin, realtime: notification.time.realtime)
        record.setReason(from: notification)
        store(record)
    }

    private func update(_ report: TransitionReport) {
        switch report.trigger {
        case .pause where mediator.state == .background && !report.notifications.isEmpty && !mediator.isStopping:
            store(ExitRecord(.paused, report, realtime: now))
        case .resume, .continued, .endSuspension:
            guard let pause = run.exitRecord, pause.kind == .paused, mediator.state == .active else { return }
            let end: UserInfo = ["endedBy": .object(report.origin.userInfo), "endedUsec": .int(now.signedMicroseconds)]
            endedPause = pause.userInfo.merging(end) { $1 }
            endedPause?["endReason"] = report.reason.map { .string($0) }
            store(nil)
        default: break
        }
    }

    private var now: Duration { mediator.clock.now.realtime }

    /// Replaces the record of this run.
    package func store(_ record: ExitRecord?) {
        run.exitRecord = record
        write()
    }

    private func write() {
        guard let files, foreign == nil, absence == nil else { return }
        do throws(SystemError) {
            try files.write(run)
        } catch {
            // The same problem is logged once.
            if !hasWarned { log.write(.warning, "\(error), ignoring", .savedState) }
            hasWarned = true
        }
    }
}
