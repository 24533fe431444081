// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryJSON
internal import BelfryLinux
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// The commands of the application that have failed, and when and why: each until it or its opposite succeeds, or the
/// next run of the unit begins, which makes up for all but `Stop=`. Also a `Stop=` that did not run, or whose end
/// nobody knows, because this service had ended. A file in the runtime directory, and one in the state directory,
/// which outlives the machine.
final class FailedCommands {
    /// By their verbs; those without, by their keys.
    private var failures: [String: String] = [:]
    /// What the files have.
    private var stored: [String: String] = [:]
    private static let (pause, stop) = (ApplicationVerb.pause.rawValue, ApplicationVerb.stop.rawValue)
    private let application: ApplicationSettings
    private let files: [StateFile]
    private let log: ServiceLog
    private var observations: [LifecycleObservation] = []

    /// Reads what the last process left. Without directories nothing is kept.
    init(of application: ApplicationSettings, in directories: [String], mediator: LifecycleMediator, log: ServiceLog) {
        (self.application, self.log) = (application, log)
        files = directories.map { StateFile(path: $0 + "/failed-commands", limit: 256 << 10) }
        for file in files where stored.isEmpty {
            do {
                guard let found = try file.read().map({ try JSONValue(json: $0) })?.objectValue else { continue }
                for (key, text) in found { stored[key] = text.stringValue }
            } catch {
                log.write(.warning, "unable to use '\(file.path)': \(error), ignoring", .savedState)
            }
        }
        // What is not set any more cannot succeed.
        let keys = Set(application.commands.map(Self.key))
        keep(stored.filter { keys.contains($0.key) })
        observations = [
            mediator.addObserver(forName: ApplicationVerb.unitDidStart) { [unowned self] in unitStarted($0) },
            mediator.addObserver(forName: .willTerminate) { [unowned self] in stopBegins($0) },
            mediator.addEventObserver(for: .delivered) { [unowned self] in
                if case .delivered(let report) = $0 { ended(report) }
            },
        ]
    }

    private static func key(of command: ApplicationCommand) -> String { command.verb?.rawValue ?? command.key }

    /// What `GetState` says about it.
    var userInfo: UserInfo { failures.isEmpty ? [:] : ["failedCommands": .object(Self.object(failures))] }

    private static func object(_ failures: [String: String]) -> JSONObject {
        JSONObject(failures.sorted { $0.key < $1.key }.map { ($0, .string($1)) })
    }

    private func unitStarted(_ notification: LifecycleNotification) {
        // A client may have `Start=` run again.
        guard notification.origin == .service else { return }
        var new = failures.filter { $0.key == Self.stop }
        if notification.userInfo["stopMissed"] == true, new.isEmpty {
            new[Self.stop] = text("Stop= had not run when \(application.unit) started again", at: notification)
        }
        keep(new)
    }

    private func stopBegins(_ notification: LifecycleNotification) {
        guard application.command(for: notification)?.verb == .stop else { return }
        store(failures.merging([Self.stop: text("Stop= ran when belfryd ended", at: notification)]) { $1 })
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
        // The listener of the other name answers for a program that is not there.
        let calls = [application.name, "application"].compactMap { name in
            report.listeners.first { $0.listener == name }
        }
        guard let call = calls.first else { return }
        if let problem = call.problem {
            keep(failures.merging([key: text("\(problem)", at: notification)]) { $1 })
        } else if call.listener == application.name {
            keep(failures.filter { $0.key != key && $0.key != command.verb?.opposite?.rawValue })
        }
    }

    private func text(_ reason: RecordText, at notification: LifecycleNotification) -> String {
        let text: RecordText = "\(time: notification.time.realtimeUsec): "
        return text.description + reason.description
    }

    private func keep(_ new: [String: String]) {
        failures = new
        // A pause ends with the process.
        store(new.filter { $0.key != Self.pause })
    }

    private func store(_ new: [String: String]) {
        guard new != stored else { return }
        stored = new
        let bytes = Array(JSONValue.object(Self.object(new)).description.utf8)
        for file in files {
            do throws(SystemError) {
                if new.isEmpty { try file.remove() } else { try file.write(bytes, durably: false) }
            } catch {
                log.write(.warning, "\(error), the next start does not know which commands have failed", .savedState)
            }
        }
    }
}
