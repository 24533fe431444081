// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
internal import BelfrySystemd
internal import BelfryLinux

/// Saves the state of restorable listeners for the next run of the service.
///
/// Add it before them: it then restores their state before they launch, and saves it after they have gone to the
/// background, at every pause and every stop. An invalid file is put aside, and every listener starts clean.
package final class RestorationListener: LifecycleListener {
    package let name = "restoration"
    private unowned let mediator: LifecycleMediator
    private let file: StateFile?
    private let restorer: StateRestorer
    private let log: ServiceLog

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
    }

    package var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in try restore() }
        on(.didEnterBackground) { [self] _ in try store() }
    }

    private func restore() throws {
        for listener in mediator.restorableListeners { try restorer.addListener(listener) }
        guard !restorer.identifiers.isEmpty else { return }
        let report = restorer.decode(archive())
        for problem in report.problems { warn("unable to restore state: \(problem)") }
        mediator.post(
            .didDecodeRestorableState,
            userInfo: UserInfo(report.items.map { ($0.identifier, .string($0.outcome.word)) }))
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
        guard let file, !restorer.identifiers.isEmpty else { return }
        mediator.post(.willEncodeRestorableState)
        let (archive, report) = restorer.encode()
        try file.write(archive.bytes)
        for problem in report.problems { warn("unable to keep state: \(problem)") }
    }

    private func warn(_ message: String) {
        log.write(.warning, "\(message)", .savedState, fields: ["BELFRY_LISTENER": name])
    }
}
