// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One piece of the work of a launch, with a name and a deadline: open the store, warm the cache, listen.
///
/// A `StartupSequence` runs commands in order. Whoever implements one does its work in `run`, ends early when its task
/// is cancelled, and throws when it could not do it; `run` is called at most once a launch.
public protocol StartupCommand {
    /// What the command is called in reports; its type's name unless it says otherwise.
    var name: String { get }

    /// How long it may take; 10 s unless it says otherwise.
    var deadline: Duration { get }

    /// Whether the launch is refused when the command fails or is not done in time. True unless it says otherwise;
    /// the failure of one that is not required is reported, and the next command runs.
    var isRequired: Bool { get }

    /// Does the work.
    func run(_ options: LaunchOptions) async throws
}

extension StartupCommand {
    /// The name of the type.
    public var name: String { String(describing: type(of: self)) }
    /// 10 s.
    public var deadline: Duration { .seconds(10) }
    /// It is.
    public var isRequired: Bool { true }
}

/// What became of one startup command, and how long it took.
public nonisolated struct StartupTime: Sendable, Equatable {
    /// The command's name.
    public let command: String
    /// Whether the launch depended on it.
    public let isRequired: Bool
    /// How it ended.
    public let outcome: ListenerOutcome
    /// How long it took, until its end or its deadline.
    public let duration: Duration

    /// What went wrong, as «NAME: REASON»; nil when nothing did.
    var problem: String? {
        guard outcome.isProblem else { return nil }
        return "\(command): \(outcome.reason ?? "not done within its deadline")"
    }
}

/// Collects the commands of a launch, in order.
@resultBuilder
public enum StartupCommandBuilder {
    /// One command.
    public static func buildExpression(_ command: any StartupCommand) -> [any StartupCommand] { [command] }
    /// Commands that were collected elsewhere.
    public static func buildExpression(_ commands: [any StartupCommand]) -> [any StartupCommand] { commands }
    /// Commands one after the other.
    public static func buildBlock(_ commands: [any StartupCommand]...) -> [any StartupCommand] {
        commands.flatMap { $0 }
    }
    /// The commands of a loop.
    public static func buildArray(_ commands: [[any StartupCommand]]) -> [any StartupCommand] {
        commands.flatMap { $0 }
    }
    /// The commands of an `if`.
    public static func buildOptional(_ commands: [any StartupCommand]?) -> [any StartupCommand] { commands ?? [] }
    /// The commands of the first branch.
    public static func buildEither(first: [any StartupCommand]) -> [any StartupCommand] { first }
    /// The commands of the other branch.
    public static func buildEither(second: [any StartupCommand]) -> [any StartupCommand] { second }
}
