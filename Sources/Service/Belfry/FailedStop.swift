// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryLinux
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// When and why the last `Stop=` of the application failed, until one succeeds, over restarts of this service within a
/// boot: a file in the runtime directory.
final class FailedStop {
    private var text: String?
    private let file: StateFile
    private let log: ServiceLog
    private var observation: LifecycleObservation?

    init(of application: ApplicationSettings, in directory: String, mediator: LifecycleMediator, log: ServiceLog) {
        (file, self.log) = (StateFile(path: directory + "/stop-failed", limit: 8192), log)
        do throws(SystemError) {
            text = try file.read().map { String(decoding: $0, as: UTF8.self) }
        } catch {
            log.write(.warning, "\(error), ignoring", .savedState)
        }
        observation = mediator.addEventObserver(for: .transitionEnded) { [unowned self] in
            guard case .transitionEnded(let report) = $0, let end = report.notifications.last,
                end.notification.name == .willTerminate, application.key(for: end.notification) != nil
            else { return }
            keep(end.problems.first.map { "\(time: end.notification.time.realtimeUsec): \($0)" })
        }
    }

    /// What `GetState` says about it.
    var userInfo: UserInfo { text.map { ["lastStopFailed": .string($0)] } ?? [:] }

    private func keep(_ new: RecordText?) {
        text = new?.description
        do throws(SystemError) {
            if let new { try file.write(new.bytes, durably: false) } else { try file.remove() }
        } catch {
            log.write(.warning, "\(error), the next start does not know whether Stop= failed", .savedState)
        }
    }
}
