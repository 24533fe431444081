// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryConfiguration
import BelfryEventLoop
import BelfryJSON
import BelfryLinux
import BelfrySystemd
import CBelfry
import Glibc
import Lifecycle

/// Attaches to a service, and runs the program for each notification. `RunQueue` decides which run is next.
@MainActor
final class ListenerProgram {
    private let settings: ListenerSettings
    private let loop: MainEventLoop
    private let log: ListenerLog
    private let groups: RunControlGroups?
    private let manager = ServiceManagerSocket()
    private var attachment: Attachment?
    private var health: HealthMonitor?
    private var queue = RunQueue()
    private var run: ProgramRun?
    private var runStart = MonotonicInstant.now
    private var deadline: TimerEventSource?
    private var codeRelease: DeferredEventSource?
    private var keepAlive: TimerEventSource?
    private var signals: SignalEventSource?
    private var isStopping = false
    private var status: CommandStatus = .success
    /// Why programs cannot be run, and what `Health=` says.
    private var problems: (programs: String?, health: ListenerHealth) {
        didSet {
            guard let programs = problems.programs else { return attachment?.report(problems.health) ?? () }
            let all = [programs, problems.health.isUnknown ? nil : problems.health.reason].compactMap(\.self)
            attachment?.report(.degraded(all.joined(separator: "; ")))
        }
    }

    /// A listener that has not begun. Every signal must be blocked.
    ///
    /// - Parameter isUnit: whether it was started from a file, which a unit does.
    init(
        _ settings: ListenerSettings, isUnit: Bool, log: ListenerLog, on loop: MainEventLoop
    ) throws(SystemError) {
        self.settings = settings
        self.log = log
        self.loop = loop
        problems = (nil, settings.health == nil ? .healthy : HealthRecord.unknown)
        var reason: RecordText?
        do throws(RunControlGroups.Unavailable) {
            // 'belfryctl attach' has no unit, and may share a control group that was delegated to others.
            groups =
                try !isUnit
                ? nil
                : RunControlGroups {
                    log.message(.warning, "\($0), a process of a command may run on", .notDelegated)
                }
        } catch {
            groups = nil
            reason = "\(error), using process groups"
        }
        attachment = Attachment(settings, health: problems.health, on: loop) { [weak self] in
            self?.receive($0)
        } onEnd: { [weak self] in
            self?.refused($0)
        }
        health = settings.health.map { check in
            HealthMonitor(check, on: loop, log: log) { [weak self] in
                self?.checkHealth()
            } report: { [weak self] in
                self?.problems.health = $0
            }
        }
        signals = try loop.source(signals: [SIGTERM, SIGINT, SIGHUP]) { [weak self] _ in self?.received() }
        codeRelease = try loop.deferred { belfry_release_code_pages() }
        codeRelease?.priority = 3_000_000
        if let timeout = Watchdog.timeout { try beat(every: max(timeout, Watchdog.shortest) / 2) }
        if let reason { log.message(.warning, reason, .notDelegated) }
    }

    /// Says that it is ready, attaches, and returns the exit status at the end. It is ready before it is attached: the
    /// unit is ordered before that of the service.
    func runUntilStopped() throws(SystemError) -> Int32 {
        lookAtPrograms()
        manager.send([.ready, .status("waiting for '\(settings.socket)'")])
        attachment?.start()
        codeRelease?.schedule()
        return try loop.run()
    }

    /// The watchdog ends the unit if this process is stopped or hangs: otherwise each notification would cost its
    /// deadline.
    private func beat(every time: Duration) throws(SystemError) {
        manager.send([.watchdogAlive])
        keepAlive = try loop.timer(after: time, accuracy: time / 2) { [weak self] in try? self?.beat(every: time) }
    }

    // Notifications

    private func receive(_ event: AttachmentEvent) {
        switch event {
        case .attached(let state):
            log.message(.info, "attached to '\(settings.socket)'", .connection)
            manager.send([.status("attached to '\(settings.socket)'")])
            if settings.runsOnStart { add("", state, tokens: []) }
            health?.attached(in: state["state"]?.stringValue ?? "")
            codeRelease?.schedule()
        case .state(let state): health?.changed(to: state)
        case .notification(let notification, let token, let key):
            add(notification["name"]?.stringValue ?? "", notification, tokens: [token], key)
        case .detached:
            perform(queue.detach())
            health?.changed(to: "")
            manager.send([.status("waiting for '\(settings.socket)'")])
        case .note(let text): log.message(.info, "\(text)", .connection)
        }
    }

    private func add(_ name: String, _ content: JSONObject, tokens: [String], _ key: String? = nil) {
        perform(queue.add(Run(name: name, key: key, content: content, tokens: tokens, deadline: end)))
    }

    /// When a run that begins now has to end.
    private var end: MonotonicInstant { .now.advanced(by: settings.timeout) }

    private func checkHealth() {
        guard !isStopping else { return }
        perform(queue.add(Run(name: "", content: [:], tokens: [], deadline: end, isHealth: true)))
    }

    private func perform(_ actions: [RunQueue.Action]) {
        for action in actions {
            switch action {
            case .start(let run): start(run)
            case .answer(let run, let result): answer(run, result)
            case .drop(let run, let reason):
                let text: RecordText = "\(Self.title(run)) \(reason.rawValue), dropped"
                log.message(.warning, text, .runDropped, Self.fields(of: run))
            case .interrupt: run?.end(as: .interrupted)
            case .finish:
                attachment?.stop()
                loop.exit(status.rawValue)
            }
        }
    }

    // Runs

    /// Looks whether the commands of an application can be run here: with the user, the mounts and the `$PATH` of this
    /// unit.
    private func lookAtPrograms() {
        guard case .application = settings.commands else { return }
        let found = settings.programs.compactMap { key, command in
            ProgramFile.ownProblem(command.program).map { "\(key)=: \($0)" }
        }
        let unit = "belfry-listener@\(settings.name).service"
        let problem = found.isEmpty ? nil : "\(unit) cannot run \(found.joined(separator: "; "))"
        if problem != problems.programs { problems.programs = problem }
    }

    private func start(_ run: Run) {
        log.runFields = Self.fields(of: run)
        runStart = .now
        guard let command = command(for: run) else {
            if run.key != nil {
                return ended(.failed("it is not in the file any more, run 'belfryctl enable \(settings.name)'"))
            }
            recordStop(run)
            return ended(.succeeded())
        }
        let variables = RunVariables.all(of: run, socket: settings.socket)
        let child = ChildCommand(command.program, command.arguments(with: variables), environment: variables)
        do throws(SystemError) {
            self.run = try ProgramRun(child, run.content, in: groups, on: loop, log: log, isQuiet: run.isHealth) {
                [weak self] in self?.ended($0)
            }
            deadline = try loop.timer(after: run.deadline - .now) { [weak self] in self?.expired() }
        } catch {
            guard self.run == nil else { return self.run?.end(as: .failed("\(error)")) ?? () }
            // The kernel reports a missing interpreter as if the script itself were missing.
            let reason = ProgramFile.problem(command.program).map { "unable to run it: \($0)" }
            ended(.failed(reason ?? "\(error)"))
        }
    }

    /// What is run; nil for nothing.
    private func command(for run: Run) -> ExecCommand? {
        run.isHealth ? settings.health?.command : settings.commands.command(of: run.key)
    }

    /// Says why `Stop=` does not run.
    private func recordStop(_ run: Run) {
        guard case .application(let unit, _) = settings.commands, run.name.hasSameBytes(as: "willTerminate") else {
            return
        }
        let (priority, reason): (LogPriority, RecordText) =
            switch UTF8Text(run.content["userInfo"]?["unitJob"]?.stringValue ?? "") {
            case "none": (.info, "\(unit) runs on")
            case "over": (.notice, "\(unit) has ended before")
            case "stop", "restart": (.warning, "belfryd has read a file without it")
            default: (.warning, "systemd does not say whether \(unit) stops")
            }
        log.message(priority, "\(reason), Stop= does not run", .application, Self.fields(of: run))
    }

    private func expired() {
        run?.end(as: .overran("ended after its timeout of \(DurationText.text(settings.timeout))"))
    }

    private func ended(_ result: RunResult) {
        run = nil
        deadline = nil
        guard let current = queue.current else { return }
        let isIgnored = command(for: current)?.ignoresFailure ?? false
        let counted = isIgnored ? result.ignoringFailure : result
        if current.isHealth {
            health?.receive(counted)
        } else {
            record(current, counted, ignored: isIgnored ? result.reason : nil)
        }
        log.runFields = ListenerLog.ownFields
        lookAtPrograms()
        codeRelease?.schedule()
        perform(queue.end(counted, at: .now))
        if current.name.hasSameBytes(as: "didReload") { health?.check() }
        if queue.current == nil { health?.makeUp() }
    }

    /// Says that a run failed, or that a command of an application ran.
    ///
    /// - Parameter ignored: why it failed, if that is a success: the prefix `-`.
    private func record(_ run: Run, _ result: RunResult, ignored: String?) {
        let (word, reason) = run.outcome(result)
        let title = run.key.map { "\($0)=" } ?? Self.title(run)
        var fields = log.runFields
        fields.add("BELFRY_OUTCOME", word)
        fields.add("BELFRY_DURATION_USEC", MonotonicInstant.now.microseconds(since: runStart))
        if let reason {
            log.message(
                .warning, "failed at \(title): \(reason, limit: OutputLines.longestLine)", .programFailed, fields)
        } else if let ignored {
            let text: RecordText = "\(title) failed, ignoring: \(ignored, limit: OutputLines.longestLine)"
            log.message(.info, text, .commandRan, fields)
        } else if run.key != nil, let command = command(for: run) {
            log.message(.info, "\(title) ran \(DisplayText.quoted(command.text))", .commandRan, fields)
        }
    }

    private func answer(_ run: Run, _ result: RunResult) {
        if case .overran = result { return }
        let outcome = run.outcome(result)
        let key = run.key.map { "\($0)=: " } ?? ""
        for token in run.tokens {
            attachment?.answer(
                token, outcome.word, reason: outcome.reason.map { key + $0 }, work: result.work.map { key + $0 })
        }
    }

    private static func title(_ run: Run) -> String {
        let name = run.name.isEmpty ? "the start" : run.name
        return run.count > 1 ? "\(name) (\(run.count) times)" : name
    }

    /// The fields of every record about a notification, as the service itself has them.
    private static func fields(of run: Run) -> JournalFields {
        var fields = JournalFields()
        for (name, value) in RunVariables.facts(of: run) where !value.isEmpty { fields.add(name, value) }
        let origin = run.content["origin"]?.objectValue
        if origin?["kind"] == nil { fields.add("BELFRY_ORIGIN", "service") }
        if let unit = origin?["unit"]?.stringValue { fields.add("BELFRY_SENDER_UNIT", unit) }
        return fields
    }

    // The end

    private func refused(_ failure: ClientFailure) {
        for line in failure.lines { log.message(.error, "\(line)", .listenerEnded) }
        guard !isStopping else { return }
        status = failure.status
        stop()
    }

    /// The first signal lets the current run end within its deadline, the second one ends it.
    private func received() {
        if isStopping { run?.end(as: .failed("ended by a second signal")) } else { stop() }
    }

    private func stop() {
        isStopping = true
        manager.send([.stopping])
        perform(queue.stop())
    }
}
