// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import Lifecycle
package import BelfrySystemd

/// What logind tells of the machine: its sleep and its end. logind, or the bus, may be missing, late, or come back.
package final class LoginSource {
    private let login: LoginManager
    private var owner: BusMatch?
    private var waiting: [() -> Void] = []

    /// The sleep of the machine.
    package let sleep: SleepSource
    /// The end of the machine.
    package let shutdown: ShutdownSource

    /// Called when logind has answered all that it was asked, at the start and later.
    package var onSettled: (() -> Void)?

    /// - Parameter who: the name of the service, for `systemd-inhibit --list`.
    package init(loop: MainEventLoop, mediator: LifecycleMediator, bus: SystemBus, who: String) {
        let login = LoginManager(on: bus)
        let (sleep, shutdown) = (
            SleepSource(loop: loop, mediator: mediator, login: login, who: who),
            ShutdownSource(loop: loop, mediator: mediator, login: login, who: who)
        )
        (self.login, self.sleep, self.shutdown) = (login, sleep, shutdown)
        owner = login.onOwner { [weak self] in if $0 { self?.ask() } }
        bus.addObserver { [weak self] in if $0 { self?.ask() } }
        for inhibitor in inhibitors {
            inhibitor.onAnswer = { [weak self] in self?.answered() }
        }
    }

    /// Gives the locks back: the process is about to stop, and nobody is to wait for it.
    package func leave() {
        for inhibitor in inhibitors { inhibitor.release() }
    }

    /// Asks what logind is about, and takes the locks: it is there for the first time or again, or the process is.
    package func ask() {
        login.delayMax { [inhibitors] in
            guard let time = try? $0.get() else { return }
            for inhibitor in inhibitors { inhibitor.delayMax = time }
        }
        sleep.askLogin()
        shutdown.askLogin()
    }

    /// Calls `body` once when no lock is asked for, which may be now: the answer would bring it.
    package func whenSettled(_ body: @escaping () -> Void) {
        if isSettled { body() } else { waiting.append(body) }
    }

    private var inhibitors: [Inhibitor] { [sleep.inhibitor, shutdown.inhibitor] }

    private var isSettled: Bool { inhibitors.allSatisfy { !$0.isAsking } }

    private func answered() {
        guard isSettled else { return }
        onSettled?()
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
