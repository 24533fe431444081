// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Does the work of a launch, command after command, as the answer to `didFinishLaunching`.
///
///     let startup = StartupSequence(clock: clock) {
///         OpenStore(path)
///         if settings.isWarm { WarmCache() }
///         Listen(port: 8080)
///     }
///     try mediator.addListener(startup)
///
/// Each command is timed. A required one that fails or overruns refuses the launch by its name, and those after it do
/// not run; one that is not required is reported as a failure of the sequence, and the launch goes on. The sequence as
/// a whole may take as long as its commands together, and reports progress with each that is done.
public final class StartupSequence: LifecycleListener {
    /// What the sequence is called as a listener.
    public let name: String
    /// What became of the commands that ran in the last launch, in order.
    public private(set) var times: [StartupTime] = []
    private let clock: any LifecycleClock
    private let commands: [any StartupCommand]

    /// Makes a sequence.
    ///
    /// - Parameters:
    ///   - name: what it is called as a listener.
    ///   - clock: the time, by which commands are measured and end; the mediator's.
    ///   - commands: the work, in order.
    public init(
        name: String = "startup", clock: any LifecycleClock,
        @StartupCommandBuilder _ commands: () -> [any StartupCommand]
    ) {
        self.name = name
        self.clock = clock
        self.commands = commands()
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

/// One run through the commands of a launch. Like `Delivery` it is driven by the end of each command, so that commands
/// that need no waiting are done in the turn of the launch itself.
final class StartupRun {
    private let commands: [any StartupCommand]
    private let notification: LifecycleNotification
    private let clock: any LifecycleClock
    private let progress: ListenerProgress
    private let record: (StartupTime) -> Void
    private var completion: ((ListenerOutcome) -> Void)?
    private var next = 0
    private var call: ListenerCall?
    private var problems: [String] = []
    private var isAdvancing = false

    init(
        _ commands: [any StartupCommand], _ notification: LifecycleNotification, _ progress: ListenerProgress,
        clock: any LifecycleClock, record: @escaping (StartupTime) -> Void,
        _ completion: @escaping (ListenerOutcome) -> Void
    ) {
        self.commands = commands
        self.notification = notification
        self.progress = progress
        self.clock = clock
        self.record = record
        self.completion = completion
    }

    /// Runs as many commands as end at once; the rest follows by itself.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        while completion != nil, call == nil, next < commands.count {
            next += 1
            begin(commands[next - 1])
        }
        isAdvancing = false
        if call == nil { finish(problems.isEmpty ? .completed : .failed(problems.joined(separator: "; "))) }
    }

    /// Gives up: the command under way overruns, and no other begins.
    func cancel() {
        next = commands.count
        call?.overrun()
    }

    private func begin(_ command: any StartupCommand) {
        let call = ListenerCall(clock: clock) { [self] _, outcome, duration in
            self.call = nil
            end(
                StartupTime(
                    command: command.name, isRequired: command.isRequired, outcome: outcome, duration: duration))
        }
        self.call = call
        if next > 1 { progress.report(nextWithin: command.deadline, command.name) }
        call.begin(
            .suspending { notification, _ in
                try await command.run(LaunchOptions(userInfo: notification.userInfo) ?? LaunchOptions())
                return .completed
            }, notification, TimeShare(command.deadline))
    }

    private func end(_ time: StartupTime) {
        record(time)
        guard let problem = time.problem else { return advance() }
        problems.append(problem)
        if time.isRequired { finish(.refused(problems.joined(separator: "; "))) } else { advance() }
    }

    private func finish(_ outcome: ListenerOutcome) {
        guard let completion else { return }
        self.completion = nil
        completion(outcome)
    }
}
