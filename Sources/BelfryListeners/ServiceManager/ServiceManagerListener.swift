// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryEventLoop
public import BelfrySystemd
public import Lifecycle

/// Sends the state of the service to systemd: READY=1 once it is active, RELOADING=1 and READY=1 around a reload,
/// STOPPING=1 when a stop begins, EXTEND_TIMEOUT_USEC= while a listener reports progress, WATCHDOG=1 while every
/// listener is healthy, and a STATUS= for each change.
///
/// Add it last: it is then notified last that the service is active, so that READY=1 is true when it is sent, and
/// first that it stops. Source: sd_notify(3).
public final class ServiceManagerListener: LifecycleListener {
    /// `serviceManager`
    public let name = "serviceManager"
    private let manager: ServiceManagerSocket
    private let status: ManagerStatus
    private let watchdog: WatchdogKeepAlive
    private let health: LifecycleObservation
    private var hasSaidStopping = false
    /// The unit's own times, once they are known and the mediator keeps to them.
    package var unitTimeouts: UnitTimeouts? {
        didSet { status.isTimeKnown = unitTimeouts != nil }
    }

    /// Speaks to `manager` of what happens to `mediator`, with timers of `loop`.
    public init(
        loop: MainEventLoop, mediator: LifecycleMediator, manager: ServiceManagerSocket
    ) {
        self.manager = manager
        let status = ManagerStatus(loop: loop, mediator: mediator, manager: manager)
        self.status = status
        watchdog = WatchdogKeepAlive(loop: loop, mediator: mediator, manager: manager)
        health = mediator.addEventObserver(for: .healthChanged) { [weak status, weak watchdog] in
            guard case .healthChanged(let unhealthy) = $0 else { return }
            watchdog?.hear(unhealthy)
            status?.troubled = unhealthy
        }
    }

    /// The launch, every change of state, and reloads. A rehearsal sends the last status again, which changes nothing
    /// and shows whether it can be sent.
    public var answers: [LifecycleAnswer] {
        messages.map { $0.rehearsing { [status] _ in try status.sayAgain() } }
    }

    @LifecycleAnswerBuilder private var messages: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            try watchdog.begin()
            try status.say("launching", waiting: true)
        }
        on(.didBecomeActive) { [self] notification in
            try status.say(Self.active(notification), with: notification.trigger == .launch ? [.ready] : [])
        }
        on(.willResignActive) { [self] notification in
            if notification.trigger == .stop {
                try sayStopping(notification)
            } else if notification.trigger == .interrupt {
                try status.say("interrupted by \(notification.origin.words)")
            }
        }
        on(.didEnterBackground) { [self] notification in
            if notification.trigger == .stop { return try sayStopping(notification) }
            try status.say("in background, paused by \(notification.origin.words)")
        }
        on(.willTerminate) { [self] notification in try sayStopping(notification) }
        on(.willReload) { [self] notification in
            let reloading = ServiceManagerMessage.reloading(monotonicUsec: notification.time.monotonicUsec)
            try status.say("reloading", with: [reloading], waiting: true)
        }
        on(.didReload) { [self] notification in try status.say(Self.active(notification), with: [.ready]) }
        on(.didFailToReload) { [self] notification in
            try status.say("\(notification.state), new configuration refused", with: [.ready])
        }
    }

    private func sayStopping(_ notification: LifecycleNotification) throws {
        guard !hasSaidStopping else { return }
        hasSaidStopping = true
        try status.say("stopping, asked by \(notification.origin.words)", with: [.stopping], waiting: true)
    }

    private static func active(_ notification: LifecycleNotification) -> String {
        switch notification.trigger {
        case .reload: "\(notification.state), configuration reloaded"
        case .resume, .continued, .endSuspension: "active, continued by \(notification.origin.words)"
        default: "\(notification.state)"
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
