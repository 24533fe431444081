// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Lifecycle
internal import BelfrySystemd
internal import BelfryLinux

/// Sends the watchdog keep-alive from the loop, while no listener wants a restart. A loop that hangs and an unhealthy
/// listener both end the keep-alive, and the watchdog ends the process.
final class WatchdogKeepAlive {
    private let loop: MainEventLoop
    private unowned let mediator: LifecycleMediator
    private let manager: ServiceManagerSocket
    private var timer: TimerEventSource?
    private var recheck: TimerEventSource?
    private var hasTriggered = false

    init(loop: MainEventLoop, mediator: LifecycleMediator, manager: ServiceManagerSocket) {
        self.loop = loop
        self.mediator = mediator
        self.manager = manager
    }

    /// Begins to send, if there is a watchdog.
    func begin() throws(SystemError) {
        guard timer == nil, let set = Watchdog.timeout else { return }
        let timeout = max(set, Watchdog.shortest)
        // Twice in its time, with an accuracy that lets the kernel join the wake-up with others.
        timer = try loop.timer(after: timeout / 2, accuracy: timeout / 4) { [unowned self] in
            // If the timer cannot be set, the loop does not work, and the watchdog ends the process.
            try? timer?.fire(after: timeout / 2)
            beat(timeout)
        }
        // Before other sources: the keep-alive says that the loop turns, not that it is idle.
        timer?.priority = -100
    }

    /// Triggers the watchdog at once if a listener is lost.
    func update(_ unhealthy: [ListenerHealthReport]) {
        let isLost = unhealthy.contains { if case .lost = $0.health { true } else { false } }
        guard isLost, !hasTriggered else { return }
        hasTriggered = true
        manager.send([.watchdogTrigger])
    }

    private func beat(_ timeout: Duration) {
        guard mediator.checkHealth().contains(where: \.health.wantsRestart) else {
            recheck = nil
            manager.send([.watchdogAlive])
            return
        }
        // A listener may recover in time.
        recheck = try? loop.timer(after: max(timeout / 10, Watchdog.shortest / 2)) { [unowned self] in beat(timeout) }
    }
}
