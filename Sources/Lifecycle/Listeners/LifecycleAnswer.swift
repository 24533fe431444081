// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One notification that a listener answers, and how. Made by `LifecycleListener.on`.
public struct LifecycleAnswer {
    enum Body {
        case immediate((LifecycleNotification) throws -> Void)
        case suspending((LifecycleNotification) async throws -> Void)
    }

    /// The notification.
    public let name: LifecycleNotification.Name
    /// How long the answer may take; the mediator's own deadline when nil.
    public let deadline: Duration?
    let body: Body
}
