// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import Lifecycle
package import BelfrySystemd

/// Sleep and shutdown of the machine, as logind announces them. logind and the bus may be missing, come late, and restart.
package final class LoginSource {
    private let login: LoginManager
    private var owner: BusMatch?
    private var waiting: [() -> Void] = []

    /// The sleep of the machine.
    package let sleep: SleepSource
    /// The end of the machine.
    package let shutdown: ShutdownSource

    /// Called whenever logind has answered all requests for locks.
    package var onIdle: (() -> Void)?

    /// - Parameter who: the name of the service, for `systemd-inhibit --list`.
    package init(loop: MainEventLoop, mediator: LifecycleMediator, bus: SystemBus, who: String) {
        let login = LoginManager(on: bus)
        let (sleep, shutdown) = (
            SleepSource(loop: loop, mediator: mediator, login: login, who: who),
            ShutdownSource(loop: loop, mediator: mediator, login: login, who: who)
        )
        (self.login, self.sleep, self.shutdown) = (login, sleep, shutdown)
        owner = login.onOwner { [weak self] in if $0 { self?.refresh() } }
        bus.addObserver { [weak self] in if $0 { self?.refresh() } }
        for inhibitor in inhibitors {
            inhibitor.onAnswer = { [weak self] in self?.answered() }
        }
    }

    /// Releases the locks, so that nobody waits for this process.
    package func releaseLocks() {
        for inhibitor in inhibitors { inhibitor.release() }
    }

    /// Asks logind for its state and for the locks, after logind or this process has come back.
    package func refresh() {
        login.delayMax { [inhibitors] in
            guard let time = try? $0.get() else { return }
            for inhibitor in inhibitors { inhibitor.delayMax = time }
        }
        sleep.askLogin()
        shutdown.askLogin()
    }

    /// Calls `body` once when no request for a lock is pending, which may be now.
    package func whenIdle(_ body: @escaping () -> Void) {
        if isIdle { body() } else { waiting.append(body) }
    }

    private var inhibitors: [DelayInhibitor] { [sleep.inhibitor, shutdown.inhibitor] }

    private var isIdle: Bool { inhibitors.allSatisfy { !$0.isAsking } }

    private func answered() {
        guard isIdle else { return }
        onIdle?()
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
