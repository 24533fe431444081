// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One step of a launch with a name and a deadline, such as opening a store or listening.
///
/// A `StartupSequence` runs commands in order. An implementation does its work in `run`, returns early when its task is
/// cancelled, and throws when it fails; it then leaves nothing behind. `run` is called at most once in a launch. If a
/// later command refuses the launch, or the command itself was late, `undo` is called, at most once and only after a
/// `run` that has completed. A `run` that overran its deadline and ignores the cancellation is not undone.
@MainActor public protocol StartupCommand {
    /// The name of the command in reports. The default is the name of the type.
    var name: String { get }

    /// How long it may take. The default is 10 s.
    var deadline: Duration { get }

    /// Whether the launch is refused when the command fails or misses its deadline. The default is true. The failure of
    /// a command that is not required is reported, and the next command runs.
    var isRequired: Bool { get }

    /// Does the work.
    func run(_ options: LaunchOptions) async throws

    /// Takes the work back, because a later command has refused the launch. It has the time of `deadline`. The default
    /// does nothing.
    ///
    /// - Throws: any error; it is reported, and the commands before are undone all the same.
    func undo() async throws
}

extension StartupCommand {
    /// The name of the type.
    public var name: String { String(describing: type(of: self)) }
    /// 10 s.
    public var deadline: Duration { .seconds(10) }
    /// True.
    public var isRequired: Bool { true }
    /// Nothing.
    public func undo() {}
}

/// The outcome of one startup command, and how long it took.
public nonisolated struct StartupTime: Sendable, Equatable {
    /// The command's name.
    public let command: String
    /// Whether it was required.
    public let isRequired: Bool
    /// How it ended.
    public let outcome: ListenerOutcome
    /// The time until its end or its deadline.
    public let duration: Duration

    /// The problem, as «NAME: REASON»; nil if there was none.
    var problem: String? {
        guard outcome.isProblem else { return nil }
        let reason = outcome == .late ? "done after its deadline" : "not done within its deadline"
        return "\(command): \(outcome.reason ?? reason)"
    }
}
