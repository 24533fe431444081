// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfrySystemd
package import Lifecycle

/// Sends the state of the service to systemd: READY=1 once it is active, RELOADING=1 and READY=1 around a reload,
/// STOPPING=1 when a stop begins, EXTEND_TIMEOUT_USEC= while a listener reports progress, WATCHDOG=1 while every
/// listener is healthy, and a STATUS= for each change.
///
/// Add it last: it is then notified last that the service is active, so that READY=1 is true when it is sent, and
/// first that it stops. Source: sd_notify(3).
package final class ServiceManagerListener: LifecycleListener {
    /// `serviceManager`
    package let name = "serviceManager"
    private let manager: ServiceManagerSocket
    private let status: ManagerStatus
    private let watchdog: WatchdogKeepAlive
    private let health: LifecycleObservation
    private var hasSentStopping = false
    /// The unit's own times, once they are known and the mediator keeps to them.
    package var unitTimeouts: UnitTimeouts? {
        didSet { status.isTimeKnown = unitTimeouts != nil }
    }

    /// Speaks to `manager` of what happens to `mediator`, with timers of `loop`.
    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, manager: ServiceManagerSocket
    ) {
        self.manager = manager
        let status = ManagerStatus(loop: loop, mediator: mediator, manager: manager)
        self.status = status
        watchdog = WatchdogKeepAlive(loop: loop, mediator: mediator, manager: manager)
        health = mediator.addEventObserver(for: .healthChanged) { [weak status, weak watchdog] in
            guard case .healthChanged(let unhealthy) = $0 else { return }
            watchdog?.update(unhealthy)
            status?.unhealthy = unhealthy
        }
    }

    /// The launch, every change of state, and reloads except dry runs.
    package var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            try watchdog.begin()
            try status.send("launching", waiting: true)
        }
        on(.didBecomeActive) { [self] notification in
            try status.send(Self.active(notification), with: notification.trigger == .launch ? [.ready] : [])
        }
        on(.willResignActive) { [self] notification in
            if notification.trigger == .stop {
                try sendStopping(notification)
            } else if notification.trigger == .interrupt {
                try status.send("interrupted by \(notification.origin.words)")
            }
        }
        on(.didEnterBackground) { [self] notification in
            if notification.trigger == .stop { return try sendStopping(notification) }
            try status.send("in background, paused by \(notification.origin.words)")
        }
        on(.willTerminate) { [self] notification in try sendStopping(notification) }
        on(.willReload) { [self] notification in
            if notification.isDryRun { return }
            let reloading = ServiceManagerMessage.reloading(monotonicUsec: notification.time.monotonicUsec)
            try status.send("reloading", with: [reloading], waiting: true)
        }
        on(.didReload) { [self] notification in try status.send(Self.active(notification), with: [.ready]) }
        on(.didFailToReload) { [self] notification in
            try status.send("\(notification.state), new configuration refused", with: [.ready])
        }
    }

    private func sendStopping(_ notification: LifecycleNotification) throws {
        guard !hasSentStopping else { return }
        hasSentStopping = true
        try status.send("stopping, asked by \(notification.origin.words)", with: [.stopping], waiting: true)
    }

    private static func active(_ notification: LifecycleNotification) -> String {
        switch notification.trigger {
        case .reload: "\(notification.state.rawValue), configuration reloaded"
        case .resume, .continued, .endSuspension: "active, continued by \(notification.origin.words)"
        default: notification.state.rawValue
        }
    }
}

/// The times that the service manager gives the unit (systemd.service(5)). Nil is no limit.
package nonisolated struct UnitTimeouts: Sendable, Equatable {
    /// `TimeoutStartSec=`, for a launch and a reload.
    package var start: Duration?
    /// `TimeoutStopSec=`, for a stop.
    package var stop: Duration?

    package init(start: Duration?, stop: Duration?) {
        self.start = start
        self.stop = stop
    }
}
