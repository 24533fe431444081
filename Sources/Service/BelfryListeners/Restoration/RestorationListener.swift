// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
internal import BelfrySystemd
internal import BelfryLinux

/// Saves the state of restorable listeners for the next run of the service.
///
/// It restores their state when every listener has answered `willFinishLaunching`, and before any is called with
/// `didFinishLaunching`. Add it before them: it then saves their state after they have gone to the background, at every pause
/// and every stop. An invalid file is put aside, and every listener starts clean.
package final class RestorationListener: LifecycleListener {
    package let name = "restoration"
    private unowned let mediator: LifecycleMediator
    private let file: StateFile?
    private let restorer: StateRestorer
    private let log: ServiceLog
    /// Whether the state was restored, so that the file may be replaced: the launch may have ended before.
    private var hasRestored = false
    private var observation: LifecycleObservation?

    /// - Parameters:
    ///   - mediator: its listeners are asked, those that are restorable.
    ///   - path: the file of the state. Its directory must exist when there is something to save. Nil when nothing
    ///     may be saved.
    ///   - log: hears what could not be kept or restored.
    package init(mediator: LifecycleMediator, path: String?, log: ServiceLog) {
        self.mediator = mediator
        self.log = log
        restorer = StateRestorer()
        let limit = restorer.limits.size
        file = path.map { StateFile(path: $0, limit: limit) }
        // Observers are called before every listener, also before the primary one.
        observation = mediator.addObserver(forName: .didFinishLaunching) { [unowned self] _ in restore() }
    }

    package var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            for listener in mediator.restorableListeners { try restorer.addListener(listener) }
        }
        on(.didEnterBackground) { [self] _ in try store() }
    }

    private func restore() {
        hasRestored = true
        guard !restorer.identifiers.isEmpty else { return }
        let report = restorer.decode(archive())
        for problem in report.problems { warn("unable to restore state: \(problem)") }
        mediator.post(
            .didDecodeRestorableState,
            userInfo: UserInfo(report.items.map { ($0.identifier, .string($0.outcome.kind)) }))
    }

    private func archive() -> RestorationArchive {
        do {
            guard let bytes = try file?.read() else { return RestorationArchive() }
            return try RestorationArchive(bytes: bytes)
        } catch {
            warn("unable to restore state: \(error), starting clean")
            if error is RestorationError { try? file?.putAside() }
            return RestorationArchive()
        }
    }

    private func store() throws {
        guard let file, hasRestored, !restorer.identifiers.isEmpty else { return }
        mediator.post(.willEncodeRestorableState)
        let (archive, report) = restorer.encode()
        try file.write(archive.bytes)
        for problem in report.problems { warn("unable to keep state: \(problem)") }
    }

    private func warn(_ message: String) {
        log.write(.warning, "\(message)", .savedState, fields: ["BELFRY_LISTENER": name])
    }
}
