// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryJSON
internal import BelfryLinux
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// The commands of the application that have failed, and when and why: each until it or its opposite succeeds, or the
/// next run of the unit begins, which makes up for all but `Stop=`. Also a command whose end nobody knows, and a
/// `Stop=` that did not run, because this service had ended. A file in the runtime directory, and one in the state
/// directory, which outlives the machine.
final class FailedCommands {
    /// By their verbs; those without, by their keys.
    private var failures: [String: String] = [:] { didSet { store() } }
    /// Those that run, as they are stored until they end.
    private var running: [String: String] = [:] { didSet { store() } }
    /// What the files have.
    private var stored: [String: String] = [:]
    private static let (pause, stop) = (ApplicationVerb.pause.rawValue, ApplicationVerb.stop.rawValue)
    private let application: ApplicationSettings
    private let files: [StateFile]
    private let log: ServiceLog
    private var hasWarned = false
    private var observations: [LifecycleObservation] = []

    /// Reads what the last process left. Without directories nothing is kept.
    ///
    /// - Parameter isPaused: whether it left a pause. A `Pause=` that had failed ended with it otherwise.
    init(
        of application: ApplicationSettings, in directories: [String], isPaused: Bool, mediator: LifecycleMediator,
        log: ServiceLog
    ) {
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
        failures = stored.filter { keys.contains($0.key) && (isPaused || $0.key != Self.pause) }
        store()
        if failures[Self.pause] != nil { mediator.pauseHasFailed() }
        observations = [
            mediator.addObserver(forName: ApplicationVerb.unitDidStart) { [unowned self] in unitStarted($0) },
            mediator.addEventObserver(for: .delivered) { [unowned self] in
                if case .delivered(let report) = $0 { ended(report) }
            },
        ]
        observations += (application.commands.map(\.notification) + [ApplicationVerb.unitDidNotStop]).map {
            mediator.addObserver(forName: $0) { [unowned self] in begins($0) }
        }
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
        let missed =
            notification.userInfo["stopMissed"] == true
            ? text("Stop= had not run when \(application.unit) started again", at: notification) : nil
        failures = (failures[Self.stop] ?? missed).map { [Self.stop: $0] } ?? [:]
    }

    private func begins(_ notification: LifecycleNotification) {
        guard let command = application.command(for: notification), command.verb != .checkReload else { return }
        running[Self.key(of: command)] = text("\(command.key)= ran when belfryd ended", at: notification)
    }

    private func ended(_ report: LifecycleReport) {
        let notification = report.notification
        // A reload that is refused changes nothing.
        guard let command = application.command(for: notification), command.verb != .checkReload else {
            // Also without `Resume=` a pause ends.
            if notification.name == .willEnterForeground { failures[Self.pause] = nil }
            return
        }
        let key = Self.key(of: command)
        // The listener of the other name answers for a program that is not there.
        let calls = [application.name, "application"].compactMap { name in
            report.listeners.first { $0.listener == name }
        }
        if let problem = calls.first?.problem {
            failures[key] = text("\(problem)", at: notification)
        } else if calls.first?.listener == application.name {
            failures = failures.filter { $0.key != key && $0.key != command.verb?.opposite?.rawValue }
        }
        running[key] = nil
    }

    private func text(_ reason: RecordText, at notification: LifecycleNotification) -> String {
        ("\(time: notification.time.realtimeUsec): " as RecordText).description + reason.description
    }

    private func store() {
        let new = failures.merging(running) { $1 }
        guard new != stored else { return }
        stored = new
        let bytes = Array(JSONValue.object(Self.object(new)).description.utf8)
        for file in files {
            do throws(SystemError) {
                if new.isEmpty { try file.remove() } else { try file.write(bytes, durably: false) }
            } catch {
                let text: RecordText = "\(error), the next start does not know which commands have failed"
                if !hasWarned { log.write(.warning, text, .savedState) }
                hasWarned = true
            }
        }
    }
}
