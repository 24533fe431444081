// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import EventLoop
public import Lifecycle

/// What a service has in hand while it puts itself together.
public struct ServiceContext {
    /// Tells of everything that happens to the service; add listeners and observers here.
    public let mediator: LifecycleMediator
    /// The loop of the main thread, for sources of the service's own.
    public let loop: MainEventLoop
}
