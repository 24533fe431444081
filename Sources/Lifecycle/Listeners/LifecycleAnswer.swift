// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One notification that a listener answers, and how. Made by `on` and its relatives in `LifecycleListener`.
public struct LifecycleAnswer {
    enum Body {
        case immediate((LifecycleNotification) throws -> ListenerOutcome)
        case completing((LifecycleNotification, @escaping (ListenerOutcome) -> Void) -> () -> Void)
        case suspending((LifecycleNotification) async throws -> ListenerOutcome)
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
        self.deadline = deadline
        self.action = action
        self.body = body
    }
}
