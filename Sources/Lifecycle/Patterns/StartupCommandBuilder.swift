// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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
