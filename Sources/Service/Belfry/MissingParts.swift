// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// Logs what the service has to do without, and knows why a notification may not come.
///
/// In a unit each part that is missing has a record of its own, since a change of the unit can provide it. Without a
/// service manager, in a terminal or in a container, the parts that only a unit provides are missing together, and
/// share one record.
final class MissingParts {
    private let log: ServiceLog
    private let isInUnit: Bool
    private var problems: [SystemError] = []
    /// Why these notifications may not come.
    private(set) var reasons: [LifecycleNotification.Name: String] = [:]

    init(log: ServiceLog, manager: ServiceManagerSocket) {
        self.log = log
        isInUnit = manager.isPresent
    }

    /// Makes a part that any process can have, for a notification that it reports.
    ///
    /// - Returns: nil if that failed.
    @discardableResult
    func attempt<Part>(for name: LifecycleNotification.Name? = nil, _ make: () throws(SystemError) -> Part) -> Part? {
        attempt(name, make) { log.write(.notice, "\($0), doing without it", .sourceMissing) }
    }

    /// Makes a part that a unit provides, such as the files of its control group.
    ///
    /// - Returns: nil if that failed.
    @discardableResult
    func attemptInUnit<Part>(for name: LifecycleNotification.Name, _ make: () throws(SystemError) -> Part) -> Part? {
        isInUnit ? attempt(for: name, make) : attempt(name, make) { problems.append($0) }
    }

    private func attempt<Part>(
        _ name: LifecycleNotification.Name?, _ make: () throws(SystemError) -> Part,
        orElse report: (SystemError) -> Void
    ) -> Part? {
        do throws(SystemError) {
            return try make()
        } catch {
            report(error)
            if let name { reasons[name] = "\(error)" }
            return nil
        }
    }

    /// A directory of the unit does not exist.
    func report(_ absence: SystemError, setting: String) {
        guard isInUnit else { return problems.append(absence) }
        log.write(.notice, "\(absence), use \(setting) of the unit", .savedState)
    }

    /// Writes the record that the parts of a unit share.
    func flush() {
        guard !problems.isEmpty else { return }
        let list = problems.map(\.description).joined(separator: "; ")
        problems = []
        log.write(.notice, "no service manager, doing without what a unit provides: \(list)", .sourceMissing)
    }
}
