// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The answer of a listener to one notification. Made by `on` and similar methods of `LifecycleListener`.
@MainActor public struct LifecycleAnswer {
    enum Body {
        case immediate((LifecycleNotification) throws -> AnswerEnd)
        case lasting(LastingBody)
    }

    /// An answer that may go on after the call that begins it.
    enum LastingBody {
        case completing((LifecycleNotification, ListenerProgress, @escaping (AnswerEnd) -> Void) -> () -> Void)
        case suspending((LifecycleNotification, ListenerProgress) async throws -> AnswerEnd)
    }

    /// The notification.
    public let name: LifecycleNotification.Name
    /// How long the answer may take; the mediator's own deadline when nil.
    public let deadline: Duration?
    /// For `performAction`, the action that is offered.
    public let action: LifecycleAction?
    let body: Body

    init(_ name: LifecycleNotification.Name, deadline: Duration?, action: LifecycleAction? = nil, _ body: Body) {
        self.name = name
        self.deadline = deadline?.bounded
        self.action = action
        self.body = body
    }

    init(_ name: LifecycleNotification.Name, deadline: Duration?, action: LifecycleAction? = nil, _ body: LastingBody) {
        self.init(name, deadline: deadline, action: action, .lasting(body))
    }

    /// Whether it ends within its call, so that it needs no share of time.
    var isImmediate: Bool { if case .immediate = body { true } else { false } }
}

/// An action that a listener offers by name, as an app offers shortcut items.
public nonisolated struct LifecycleAction: Sendable, Equatable {
    /// Its identifier in requests.
    public let id: String
    /// What it does, in one line for people.
    public let title: String

    /// An action.
    public init(_ id: String, title: String) {
        self.id = id
        self.title = title
    }
}

/// Collects the answers of a listener.
@resultBuilder
@MainActor public enum LifecycleAnswerBuilder {
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
