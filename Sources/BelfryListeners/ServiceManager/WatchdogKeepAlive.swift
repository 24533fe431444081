// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Lifecycle
internal import BelfrySystemd
internal import BelfryLinux

/// Keeps the watchdog content, from the loop itself and only while every listener is healthy: a loop that hangs and a
/// listener that is unhealthy both end in the silence that the watchdog is there for.
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

    /// Begins to keep it content, if there is one.
    func begin() throws(SystemError) {
        guard timer == nil, let set = Watchdog.timeout else { return }
        let timeout = max(set, Watchdog.shortest)
        // Twice in its time, and up to half of that late, so that the kernel can join the wake-up with others.
        timer = try loop.timer(after: timeout / 2, accuracy: timeout / 4) { [unowned self] in
            // A timer that cannot be set is a loop that does not work, which the watchdog finds out.
            try? timer?.fire(after: timeout / 2)
            beat(timeout)
        }
        // What it is to tell is that the loop turns, not that nothing else is to be done.
        timer?.priority = -100
    }

    /// Tells of a listener that is lost, at once.
    func hear(_ troubled: [ListenerHealthReport]) {
        let isLost = troubled.contains { if case .lost = $0.health { true } else { false } }
        guard isLost, !hasTriggered else { return }
        hasTriggered = true
        manager.send([.watchdogTrigger])
    }

    private func beat(_ timeout: Duration) {
        guard !mediator.checkHealth().isEmpty else {
            recheck = nil
            manager.send([.watchdogAlive])
            return
        }
        // Whoever recovers in time is to be heard in time.
        recheck = try? loop.timer(after: max(timeout / 10, Watchdog.shortest / 2)) { [unowned self] in beat(timeout) }
    }
}
