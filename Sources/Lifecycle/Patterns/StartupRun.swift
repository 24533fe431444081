// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One run through the commands of a launch. Like `Delivery` it is driven by the end of each command, so that commands
/// that need no waiting are done in the turn of the launch itself.
final class StartupRun {
    private let commands: [any StartupCommand]
    private let notification: LifecycleNotification
    private let clock: any LifecycleClock
    private let progress: ListenerProgress
    private let note: (StartupTime) -> Void
    private var completion: ((ListenerOutcome) -> Void)?
    private var next = 0
    private var call: ListenerCall?
    private var problems: [String] = []
    private var isAdvancing = false

    init(
        _ commands: [any StartupCommand], _ notification: LifecycleNotification, _ progress: ListenerProgress,
        clock: any LifecycleClock, note: @escaping (StartupTime) -> Void,
        _ completion: @escaping (ListenerOutcome) -> Void
    ) {
        self.commands = commands
        self.notification = notification
        self.progress = progress
        self.clock = clock
        self.note = note
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
        note(time)
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
