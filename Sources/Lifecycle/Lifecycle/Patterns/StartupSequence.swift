// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Runs the commands of a launch in order, as the answer to `didFinishLaunching`.
///
///     let startup = StartupSequence(clock: clock, [OpenStore(path), WarmCache(), Listen(port: 8080)])
///     try mediator.addListener(startup)
///
/// Each command is timed. If a required one fails or overruns, the remaining commands do not run, those that have
/// completed are undone in reverse order, and the launch is refused with its name. If another one fails, the sequence
/// reports a failure, and the launch goes on. The sequence reports progress before each step but the first. Its
/// deadline is the sum of those of its commands, for running them, and as much again, for undoing them. If the launch
/// has no time left, nothing is undone.
///
/// A refusal by another listener undoes nothing, since the sequence has done its part: what must be closed then belongs
/// into an answer to `willTerminate`.
public final class StartupSequence: LifecycleListener {
    /// The name of the sequence as a listener.
    public let name: String
    /// The outcomes of the commands of the last launch, in order.
    public private(set) var times: [StartupTime] = []
    private let clock: any LifecycleClock
    private let commands: [any StartupCommand]

    /// Makes a sequence.
    ///
    /// - Parameters:
    ///   - name: its name as a listener.
    ///   - clock: the clock of the mediator.
    ///   - commands: the commands, in order.
    public init(name: String = "startup", clock: any LifecycleClock, _ commands: [any StartupCommand]) {
        self.name = name
        self.clock = clock
        self.commands = commands
    }

    /// Whether a required command has not completed: then a launch needs the sequence.
    public var isRequired: Bool {
        commands.indices.contains { commands[$0].isRequired && ($0 >= times.count || times[$0].problem != nil) }
    }

    /// `didFinishLaunching`
    public var answers: [LifecycleAnswer] {
        LifecycleAnswer(
            .didFinishLaunching, deadline: commands.reduce(.zero) { $0 + $1.deadline.bounded } * 2,
            .completing { [self] notification, progress, completion in
                times = []
                let run = StartupRun(
                    commands, notification, progress, clock: clock, record: { [self] in times.append($0) }, completion)
                run.advance()
                return { run.cancel() }
            })
    }
}

/// One run of the commands of a launch. The end of each step begins the next, so that commands that do not suspend are
/// done before the call returns.
final class StartupRun {
    private var rest: ArraySlice<any StartupCommand>
    /// The commands that have completed, in order: they are undone from the last to the first.
    private var completed: [any StartupCommand] = []
    private let notification: LifecycleNotification
    private let progress: ListenerProgress
    private let clock: any LifecycleClock
    private let record: (StartupTime) -> Void
    private let completion: (AnswerEnd) -> Void
    /// The call of the last command that began.
    private var call: ListenerCall?
    private var problems: [String] = []

    init(
        _ commands: [any StartupCommand], _ notification: LifecycleNotification, _ progress: ListenerProgress,
        clock: any LifecycleClock, record: @escaping (StartupTime) -> Void,
        _ completion: @escaping (AnswerEnd) -> Void
    ) {
        rest = commands[...]
        self.notification = notification
        self.progress = progress
        self.clock = clock
        self.record = record
        self.completion = completion
    }

    /// Runs the next command, or ends the run after the last.
    func advance() {
        guard let command = rest.popFirst() else {
            return completion(AnswerEnd(problems.isEmpty ? .completed : .failed(problems.joined(separator: "; "))))
        }
        let options = LaunchOptions(userInfo: notification.userInfo) ?? LaunchOptions()
        begin(command, command.name, { try await command.run(options) }) { [self] in end(command, $0) }
    }

    /// Cancels the command under way, and begins no other.
    func cancel() {
        rest = []
        completed = []
        call?.overrun()
    }

    /// Begins a step with the deadline of its command.
    private func begin(
        _ command: any StartupCommand, _ text: String,
        _ body: @escaping () async throws -> Void, then end: @escaping (StartupTime) -> Void
    ) {
        if call != nil { progress.report(nextWithin: command.deadline, text) }
        let call = ListenerCall(clock: clock) { _, ended, duration in
            end(StartupTime(command: text, isRequired: command.isRequired, outcome: ended.outcome, duration: duration))
        }
        self.call = call
        call.begin(
            .suspending { _, _ in
                try await body()
                return .completed
            }, notification, TimeShare(command.deadline))
    }

    private func end(_ command: any StartupCommand, _ time: StartupTime) {
        record(time)
        if time.outcome == .completed || time.outcome == .late { completed.append(command) }
        if let problem = time.problem {
            problems.append(problem)
            if time.isRequired { return undo() }
        }
        advance()
    }

    /// Undoes the commands that have completed, and then refuses the launch.
    private func undo() {
        guard let command = completed.popLast() else {
            return completion(AnswerEnd(.refused(problems.joined(separator: "; "))))
        }
        begin(command, "undo of \(command.name)", { try await command.undo() }) { [self] time in
            if let problem = time.problem { problems.append(problem) }
            undo()
        }
    }
}
