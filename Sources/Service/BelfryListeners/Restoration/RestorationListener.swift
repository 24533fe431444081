// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
internal import BelfryEventLoop
internal import BelfrySystemd
internal import BelfryLinux
internal import Synchronization

/// Saves the state of restorable listeners for the next run of the service.
///
/// It restores their state when every listener has answered `willFinishLaunching`, and before any is called with
/// `didFinishLaunching`. Add it before them: it then saves their state after they have gone to the background, at every
/// pause and every stop. The state of those that say that it has changed it saves meanwhile, and at the end of a stop.
/// An invalid file is put aside, and every listener starts clean.
package final class RestorationListener: LifecycleListener {
    package let name = "restoration"
    private unowned let mediator: LifecycleMediator
    private let writer: StateWriter?
    private let interval: () -> Duration?
    private let restorer = StateRestorer()
    private let log: ServiceLog
    /// Whether the state was restored, so that the file may be replaced: the launch may have ended before.
    private var hasRestored = false
    private var observations: [LifecycleObservation] = []
    /// Stores the changes.
    private var timer: (any LifecycleTimer)?
    /// The last write that began, and its number.
    private var writing: Task<Void, any Error>?
    private var writes = 0

    /// - Parameters:
    ///   - mediator: its listeners are asked, those that are restorable.
    ///   - path: the file of the state. Its directory must exist when there is something to save. Nil when nothing
    ///     may be saved.
    ///   - interval: how long a changed state may wait until it is stored; nil for until the next pause or stop.
    ///   - log: hears what could not be kept or restored.
    package init(mediator: LifecycleMediator, path: String?, interval: @escaping () -> Duration?, log: ServiceLog) {
        self.mediator = mediator
        self.interval = interval
        self.log = log
        writer = path.map { StateWriter(StateFile(path: $0, limit: RestorationArchive.longest)) }
        observations = [
            // Observers are called before every listener, also before the primary one.
            mediator.addObserver(forName: .didFinishLaunching) { [unowned self] _ in restore() },
            mediator.addEventObserver(for: .restorableStateChanged) { [unowned self] in
                if case .restorableStateChanged(let listener) = $0 { noteChange(of: listener) }
            },
            mediator.addEventObserver(for: .transitionEnded) { [unowned self] in
                if case .transitionEnded(let report) = $0, report.trigger == .stop { finish() }
            },
        ]
    }

    package var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            for listener in mediator.restorableListeners { try restorer.addListener(listener) }
        }
        if hasRestored, !restorer.identifiers.isEmpty {
            on(.didEnterBackground) { [self] _ in
                encode()
                try await write(durably: true)
            }
            // What has changed in a pause, or since the listeners have gone to the background.
            on(.willTerminate) { [self] _ in
                timer?.cancel()
                guard restorer.hasChanges else {
                    // It has told why it failed.
                    _ = await writing?.result
                    return
                }
                warn(restorer.encodeChanged())
                try await write(durably: true)
            }
        }
    }

    private func restore() {
        hasRestored = true
        guard !restorer.identifiers.isEmpty else { return }
        try! mediator.updateAnswers(of: self)  // two different names
        let outcomes = restorer.decode(archive())
        for case (let listener, _, .refused(let reason)) in outcomes {
            warn("unable to restore state: \(listener): \(reason)")
        }
        mediator.post(
            .didDecodeRestorableState, userInfo: UserInfo(outcomes.map { ($0.identifier, .string($0.outcome.kind)) }))
    }

    private func archive() -> RestorationArchive {
        do {
            guard let bytes = try writer?.file.read() else { return RestorationArchive() }
            return try RestorationArchive(bytes: bytes)
        } catch {
            warn("unable to restore state: \(error), starting clean")
            if error is RestorationError { try? writer?.file.putAside() }
            return RestorationArchive()
        }
    }

    private func noteChange(of listener: any RestorableListener) {
        guard hasRestored, writer != nil, restorer.setChanged(listener), timer == nil, let delay = interval() else {
            return
        }
        timer = mediator.clock.schedule(after: delay) { [weak self] in
            guard let self else { return }
            timer = nil
            warn(restorer.encodeChanged())
            Task { [self] in
                do { try await write(durably: false) } catch { warn("unable to keep state: \(error)") }
            }
        }
    }

    /// Encodes the state of every listener.
    private func encode() {
        timer?.cancel()
        timer = nil
        mediator.post(.willEncodeRestorableState)
        warn(restorer.encode())
    }

    /// Writes the archive, on a thread of its own.
    private func write(durably: Bool) async throws {
        guard let writer else { return }
        writes += 1
        let task = Task { [number = writes, bytes = restorer.archive.bytes] in
            try await withCheckedThrowingContinuation { continuation in
                WorkerThread.run {
                    Result { () throws(SystemError) in try writer.write(bytes, number, durably: durably) }
                } then: {
                    continuation.resume(with: $0)
                }
            }
        }
        writing = task
        try await task.value
    }

    /// Writes at the end of a stop what it has not waited for: it was cut short, or took too long.
    private func finish() {
        do { try writer?.write(restorer.archive.bytes, writes, durably: false) } catch {
            warn("unable to keep state: \(error)")
        }
    }

    private func warn(_ problems: [String]) {
        for problem in problems { warn("unable to keep state: \(problem)") }
    }

    private func warn(_ message: String) {
        log.write(.warning, "\(message)", .savedState, fields: ["BELFRY_LISTENER": name])
    }
}

/// Writes archives from any thread, one after the other, and no older one after a newer one.
private nonisolated final class StateWriter: Sendable {
    let file: StateFile
    /// The number of the archive in the file; 0 for none of this process.
    private let written = Mutex(0)

    init(_ file: StateFile) { self.file = file }

    func write(_ bytes: [UInt8], _ number: Int, durably: Bool) throws(SystemError) {
        try written.withLock { last throws(SystemError) in
            guard number > last else { return }
            try file.write(bytes, durably: durably)
            last = number
        }
    }
}
