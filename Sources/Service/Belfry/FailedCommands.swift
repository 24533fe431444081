// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryJSON
internal import BelfryLinux
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// The commands of the application that have failed, and when and why: each until it or its opposite succeeds, or the
/// next run of the unit begins, which makes up for all but `Stop=`. Also a `Stop=` that did not run because this
/// service did not. A file in the runtime directory, and one in the state directory, which outlives the machine.
final class FailedCommands {
    /// By their verbs; those without, by their keys.
    private var failures: [String: String] = [:]
    private static let (pause, stop) = (ApplicationVerb.pause.rawValue, ApplicationVerb.stop.rawValue)
    private let application: ApplicationSettings
    private let files: [StateFile]
    private let log: ServiceLog
    private var observations: [LifecycleObservation] = []

    init(of application: ApplicationSettings, in directories: [String], mediator: LifecycleMediator, log: ServiceLog) {
        (self.application, self.log) = (application, log)
        files = directories.map { StateFile(path: $0 + "/failed-commands", limit: 256 << 10) }
        do {
            for file in files where failures.isEmpty {
                guard let found = try file.read().map({ try JSONValue(json: $0) })?.objectValue else { continue }
                for (key, text) in found { failures[key] = text.stringValue }
            }
        } catch {
            log.write(.warning, "\(error), ignoring", .savedState)
        }
        // A pause has ended with the process, and what is not set any more cannot succeed.
        let keys = Set(application.commands.map(Self.key)).subtracting([Self.pause])
        failures = failures.filter { keys.contains($0.key) }
        observations = [
            mediator.addObserver(forName: ApplicationVerb.unitDidStart) { [unowned self] in unitStarted($0) },
            mediator.addEventObserver(for: .delivered) { [unowned self] in
                if case .delivered(let report) = $0 { ended(report) }
            },
        ]
    }

    private static func key(of command: ApplicationCommand) -> String { command.verb?.rawValue ?? command.key }

    /// What `GetState` says about it.
    var userInfo: UserInfo { failures.isEmpty ? [:] : ["failedCommands": .object(object)] }

    private var object: JSONObject { JSONObject(failures.sorted { $0.key < $1.key }.map { ($0, .string($1)) }) }

    private func unitStarted(_ notification: LifecycleNotification) {
        var new = failures.filter { $0.key == Self.stop }
        if notification.userInfo["stopMissed"] == true, new.isEmpty {
            let time = notification.time.realtimeUsec
            let text: RecordText = "\(time: time): Stop= had not run when \(application.unit) started again"
            new[Self.stop] = text.description
        }
        keep(new)
    }

    private func ended(_ report: LifecycleReport) {
        let notification = report.notification
        guard let command = application.command(for: notification) else {
            // Also without `Resume=` a pause ends.
            if notification.name == .willEnterForeground { keep(failures.filter { $0.key != Self.pause }) }
            return
        }
        // A reload that is refused changes nothing.
        guard command.verb != .checkReload else { return }
        let key = Self.key(of: command)
        // The listener of this name answers for a program that is not there.
        let calls = report.listeners.filter { $0.listener == application.name || $0.listener == "application" }
        if let problem = calls.lazy.compactMap(\.problem).first {
            let text: RecordText = "\(time: notification.time.realtimeUsec): \(problem)"
            keep(failures.merging([key: text.description]) { $1 })
        } else if calls.contains(where: { $0.listener == application.name }) {
            keep(failures.filter { $0.key != key && $0.key != command.verb?.opposite?.rawValue })
        }
    }

    private func keep(_ new: [String: String]) {
        guard new != failures else { return }
        failures = new
        do throws(SystemError) {
            let bytes = Array(JSONValue.object(object).description.utf8)
            for file in files { if new.isEmpty { try file.remove() } else { try file.write(bytes, durably: false) } }
        } catch {
            log.write(.warning, "\(error), the next start does not know which commands have failed", .savedState)
        }
    }
}
