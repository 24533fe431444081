// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Runs the commands of a launch in order, as the answer to `didFinishLaunching`.
///
///     let startup = StartupSequence(clock: clock) {
///         OpenStore(path)
///         if settings.isWarm { WarmCache() }
///         Listen(port: 8080)
///     }
///     try mediator.addListener(startup)
///
/// Each command is timed. If a required one fails or overruns, the launch is refused with its name, and the remaining
/// commands do not run. If another one fails, the sequence reports a failure, and the launch goes on. The deadline of the
/// sequence is the sum of those of its commands; it reports progress before each command.
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
    public init(
        name: String = "startup", clock: any LifecycleClock,
        @StartupCommandBuilder _ commands: () -> [any StartupCommand]
    ) {
        self.name = name
        self.clock = clock
        self.commands = commands()
    }

    /// Whether a required command has not completed: then a launch needs the sequence.
    public var isRequired: Bool {
        commands.indices.contains { commands[$0].isRequired && ($0 >= times.count || times[$0].problem != nil) }
    }

    /// `didFinishLaunching`
    public var answers: [LifecycleAnswer] {
        LifecycleAnswer(
            .didFinishLaunching, deadline: commands.reduce(.zero) { $0 + $1.deadline.bounded },
            .completing { [self] notification, progress, completion in
                times = []
                let run = StartupRun(
                    commands, notification, progress, clock: clock, record: { [self] in times.append($0) }, completion)
                run.advance()
                return { run.cancel() }
            })
    }
}

/// One run of the commands of a launch. The end of each command begins the next, so that commands that do not suspend are
/// done before the call returns.
final class StartupRun {
    private var rest: ArraySlice<any StartupCommand>
    private let notification: LifecycleNotification
    private let progress: ListenerProgress
    private let clock: any LifecycleClock
    private let record: (StartupTime) -> Void
    private let completion: (ListenerOutcome) -> Void
    /// The call of the last command that began.
    private var call: ListenerCall?
    private var problems: [String] = []

    init(
        _ commands: [any StartupCommand], _ notification: LifecycleNotification, _ progress: ListenerProgress,
        clock: any LifecycleClock, record: @escaping (StartupTime) -> Void,
        _ completion: @escaping (ListenerOutcome) -> Void
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
            return completion(problems.isEmpty ? .completed : .failed(problems.joined(separator: "; ")))
        }
        if call != nil { progress.report(nextWithin: command.deadline, command.name) }
        let call = ListenerCall(clock: clock) { [self] _, outcome, duration in
            end(
                StartupTime(
                    command: command.name, isRequired: command.isRequired, outcome: outcome, duration: duration))
        }
        self.call = call
        call.begin(
            .suspending { notification, _ in
                try await command.run(LaunchOptions(userInfo: notification.userInfo) ?? LaunchOptions())
                return .completed
            }, notification, TimeShare(command.deadline))
    }

    /// Cancels the command under way, and begins no other.
    func cancel() {
        rest = []
        call?.overrun()
    }

    private func end(_ time: StartupTime) {
        record(time)
        if let problem = time.problem {
            problems.append(problem)
            if time.isRequired { return completion(.refused(problems.joined(separator: "; "))) }
        }
        advance()
    }
}
