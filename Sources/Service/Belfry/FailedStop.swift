// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryLinux
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// When and why the last `Stop=` of the application failed, or that none ran because this service did not run, until
/// one succeeds: a file in the runtime directory, and one in the state directory, which outlives the machine.
final class FailedStop {
    private var text: String?
    private let files: [StateFile]
    private let log: ServiceLog
    private var observations: [LifecycleObservation] = []

    init(of application: ApplicationSettings, in directories: [String], mediator: LifecycleMediator, log: ServiceLog) {
        self.log = log
        files = directories.map { StateFile(path: $0 + "/stop-failed", limit: 8192) }
        do throws(SystemError) {
            for file in files where text == nil { text = try file.read().map { String(decoding: $0, as: UTF8.self) } }
        } catch {
            log.write(.warning, "\(error), ignoring", .savedState)
        }
        observations = [
            mediator.addObserver(forName: ApplicationVerb.unitDidStart) { [unowned self] in
                guard $0.userInfo["stopMissed"] == true, text == nil else { return }
                keep("\(time: $0.time.realtimeUsec): Stop= had not run when \(application.unit) started again")
            },
            mediator.addEventObserver(for: .transitionEnded) { [unowned self] in
                guard case .transitionEnded(let report) = $0, let end = report.notifications.last,
                    end.notification.name == .willTerminate, application.key(for: end.notification) != nil
                else { return }
                keep(end.problems.first.map { "\(time: end.notification.time.realtimeUsec): \($0)" })
            },
        ]
    }

    /// What `GetState` says about it.
    var userInfo: UserInfo { text.map { ["lastStopFailed": .string($0)] } ?? [:] }

    private func keep(_ new: RecordText?) {
        text = new?.description
        do throws(SystemError) {
            for file in files { if let new { try file.write(new.bytes, durably: false) } else { try file.remove() } }
        } catch {
            log.write(.warning, "\(error), the next start does not know whether Stop= failed", .savedState)
        }
    }
}
