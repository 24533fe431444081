// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Collects the answers of a listener.
@resultBuilder
public enum LifecycleAnswerBuilder {
    /// One answer.
    public static func buildExpression(_ answer: LifecycleAnswer) -> [LifecycleAnswer] { [answer] }
    /// Answers that were collected elsewhere.
    public static func buildExpression(_ answers: [LifecycleAnswer]) -> [LifecycleAnswer] { answers }
    /// Answers one after the other.
    public static func buildBlock(_ answers: [LifecycleAnswer]...) -> [LifecycleAnswer] { answers.flatMap { $0 } }
    /// The answers of a loop.
    public static func buildArray(_ answers: [[LifecycleAnswer]]) -> [LifecycleAnswer] { answers.flatMap { $0 } }
    /// The answers of an `if`.
    public static func buildOptional(_ answers: [LifecycleAnswer]?) -> [LifecycleAnswer] { answers ?? [] }
    /// The answers of the first branch.
    public static func buildEither(first: [LifecycleAnswer]) -> [LifecycleAnswer] { first }
    /// The answers of the other branch.
    public static func buildEither(second: [LifecycleAnswer]) -> [LifecycleAnswer] { second }
}
