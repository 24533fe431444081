// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import EventLoop
public import Lifecycle
public import ServiceManager

/// Tells systemd what the service tells everyone: READY=1 once it is active, RELOADING=1 and READY=1 around a reload,
/// STOPPING=1 when a stop begins, and always a STATUS= worth reading. Keeps the watchdog fed from the loop itself.
///
/// Add it last: it then hears last that the service is active, so that READY=1 is true when it is sent, and first that
/// it stops. Source: sd_notify(3), sd_event_set_watchdog(3).
public final class ServiceManagerListener: LifecycleListener {
    /// `serviceManager`
    public let name = "serviceManager"
    private let loop: MainEventLoop
    private let manager: ServiceManagerSocket
    private var hasSaidStopping = false

    /// Keeps the watchdog fed from `loop`, and speaks to `manager`.
    public init(loop: MainEventLoop, manager: ServiceManagerSocket = ServiceManagerSocket()) {
        self.loop = loop
        self.manager = manager
    }

    /// The launch, every change of state, and reloads.
    public var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            _ = try loop.keepWatchdogAlive(true)
            try send(.status("launching"))
        }
        on(.didBecomeActive) { [self] notification in
            let status = ServiceManagerMessage.status(Self.active(notification))
            if notification.trigger == .launch { try send(.ready, status) } else { try send(status) }
        }
        on(.willResignActive) { [self] notification in
            if notification.trigger == .stop {
                try sayStopping(notification)
            } else if notification.trigger == .interrupt {
                try send(.status("interrupted by \(notification.origin.words)"))
            }
        }
        on(.didEnterBackground) { [self] notification in
            if notification.trigger == .stop { return try sayStopping(notification) }
            try send(.status("in background, paused by \(notification.origin.words)"))
        }
        on(.willTerminate) { [self] notification in try sayStopping(notification) }
        on(.willReload) { [self] notification in
            try send(.reloading(monotonicUsec: notification.time.monotonicUsec), .status("reloading"))
        }
        on(.didReload) { [self] notification in try send(.ready, .status(Self.active(notification))) }
        on(.didFailToReload) { [self] notification in
            try send(.ready, .status("\(notification.state), new configuration refused"))
        }
    }

    private func sayStopping(_ notification: LifecycleNotification) throws {
        guard !hasSaidStopping else { return }
        hasSaidStopping = true
        try send(.stopping, .status("stopping, asked by \(notification.origin.words)"))
    }

    private func send(_ messages: ServiceManagerMessage...) throws {
        if case .failed(let error) = manager.send(messages) { throw error }
    }

    private static func active(_ notification: LifecycleNotification) -> String {
        switch notification.trigger {
        case .reload: "\(notification.state), configuration reloaded"
        case .resume, .endSuspension: "active, continued by \(notification.origin.words)"
        default: "\(notification.state)"
        }
    }
}
