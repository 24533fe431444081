// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfrySystemd
package import Lifecycle

/// Sends the state of the service to systemd: RELOADING=1 when a reload begins, STOPPING=1 when a stop is accepted,
/// READY=1 after all other listeners have answered, EXTEND_TIMEOUT_USEC= while a listener reports progress, WATCHDOG=1
/// while every listener is healthy, and a STATUS= for each change. `ManagerStatus` sends all but WATCHDOG=1.
///
/// Add it as the outermost listener, so that READY=1 is true when it is sent. A message that cannot be sent is reported
/// once, and fails nothing. Source: sd_notify(3).
package final class ServiceManagerListener: LifecycleListener {
    /// `serviceManager`
    package let name = "serviceManager"
    private let status: ManagerStatus
    private let watchdog: WatchdogKeepAlive
    private let health: LifecycleObservation

    /// Speaks to `manager` of what happens to `mediator`, with timers of `loop`. `pause` says who paused a service that
    /// is launched into the background, and `isTimeKnown` whether the mediator keeps to the times of the unit.
    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, manager: ServiceManagerSocket, pause: PauseMarker,
        log: ServiceLog, isTimeKnown: @escaping () -> Bool = { false }
    ) {
        let status = ManagerStatus(
            loop: loop, mediator: mediator, manager: manager, pause: pause, log: log, isTimeKnown: isTimeKnown)
        self.status = status
        watchdog = WatchdogKeepAlive(loop: loop, mediator: mediator, manager: manager)
        health = mediator.addEventObserver(for: .healthChanged) { [weak status, weak watchdog] in
            guard case .healthChanged(let unhealthy) = $0 else { return }
            watchdog?.update(unhealthy)
            status?.unhealthy = unhealthy
        }
    }

    /// The launch, changes of state, and reloads except dry runs. For `didEnterBackground` it would be called first:
    /// the end of a pause, or of a launch into the background, is an event.
    package var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in try watchdog.begin() }
        on(.didBecomeActive) { [self] in status.show(Self.active($0), isReady: $0.trigger == .launch) }
        on(.willResignActive) { [self] in
            if $0.trigger == .interrupt { status.show("interrupted by \($0.origin.words)") }
        }
        on(.didReload) { [self] in status.show(Self.active($0), isReady: true) }
        on(.didFailToReload) { [self] in
            let what = $0.userInfo["accepted"] == true ? "not applied by all" : "refused"
            status.show("\($0.state.words), new configuration \(what)", isReady: true)
        }
    }

    private static func active(_ notification: LifecycleNotification) -> String {
        switch notification.trigger {
        case .reload: "\(notification.state.words), configuration reloaded"
        case .resume, .continued, .endSuspension: "active, continued by \(notification.origin.words)"
        default: notification.state.rawValue
        }
    }
}

extension LifecycleState {
    /// What operators call it.
    nonisolated var words: String { self == .background ? "paused (background)" : rawValue }
}
