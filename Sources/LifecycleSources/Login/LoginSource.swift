// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import EventLoop
package import Lifecycle
package import ServiceManager

/// What logind tells of the machine: its sleep and its end. logind, or the bus, may be missing, late, or come back.
package final class LoginSource {
    private let login: LoginManager
    private var owner: BusMatch?

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
        let inhibitors = [sleep.inhibitor, shutdown.inhibitor]
        func appeared() {
            login.delayMax {
                guard let time = try? $0.get() else { return }
                for inhibitor in inhibitors { inhibitor.delayMax = time }
            }
            sleep.loginAppeared()
            shutdown.loginAppeared()
        }
        owner = login.onOwner { if $0 { appeared() } }
        bus.addObserver { if $0 { appeared() } }
        for inhibitor in inhibitors {
            inhibitor.onAnswer = { [weak self] in self?.answered() }
        }
    }

    private func answered() {
        if !sleep.inhibitor.isAsking, !shutdown.inhibitor.isAsking { onSettled?() }
    }
}
