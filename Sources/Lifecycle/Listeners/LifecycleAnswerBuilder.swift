// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Collects the answers of a listener.
@resultBuilder
public enum LifecycleAnswerBuilder {
    public static func buildExpression(_ answer: LifecycleAnswer) -> [LifecycleAnswer] { [answer] }
    public static func buildExpression(_ answers: [LifecycleAnswer]) -> [LifecycleAnswer] { answers }
    public static func buildBlock(_ answers: [LifecycleAnswer]...) -> [LifecycleAnswer] { answers.flatMap { $0 } }
    public static func buildArray(_ answers: [[LifecycleAnswer]]) -> [LifecycleAnswer] { answers.flatMap { $0 } }
    public static func buildOptional(_ answers: [LifecycleAnswer]?) -> [LifecycleAnswer] { answers ?? [] }
    public static func buildEither(first: [LifecycleAnswer]) -> [LifecycleAnswer] { first }
    public static func buildEither(second: [LifecycleAnswer]) -> [LifecycleAnswer] { second }
}
