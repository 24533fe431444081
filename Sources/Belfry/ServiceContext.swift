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
    let ending: ServiceEnding

    /// Stops the service in order, because a part of it has failed, and makes the failure visible: the error is logged,
    /// `willTerminate` carries the reason `failed` and the error, and the process ends with exit code 70, which systemd
    /// counts as a failed unit (systemd.service(5), `Restart=on-failure`).
    ///
    /// During a launch the stop waits for its end; to refuse the launch itself, a listener throws `LifecycleRefusal`.
    /// During a stop only the exit code changes.
    public func fail(_ error: any Error) { ending.fail(error) }
}
