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
                    commands, notification, progress, clock: clock, note: { [self] in times.append($0) }, completion)
                run.advance()
                return { run.cancel() }
            })
    }
}
