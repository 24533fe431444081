// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import Lifecycle
package import BelfrySystemd

/// Sleep and shutdown of the machine, as logind announces them. logind and the bus may be missing, come late, and
/// restart.
package final class LoginSource {
    private let login: LoginManager
    private var owner: BusMatch?
    private let requests: LockRequests

    /// The sleep of the machine.
    package let sleep: SleepSource
    /// The end of the machine.
    package let shutdown: ShutdownSource

    /// - Parameters:
    ///   - who: the name of the service, for `systemd-inhibit --list`.
    ///   - problem: called when logind refuses a lock, and when it does not wait any longer.
    ///   - idle: called whenever logind has answered all requests for locks.
    package init(
        loop: MainEventLoop, mediator: LifecycleMediator, bus: SystemBus, who: String,
        problem: @escaping (LoginProblem) -> Void = { _ in }, idle: @escaping () -> Void = {}
    ) {
        let (login, requests) = (LoginManager(on: bus), LockRequests(idle: idle))
        func inhibitor(_ operation: LoginManager.Operation, why: String) -> DelayInhibitor {
            DelayInhibitor(operation, of: login, who: who, why: why, requests: requests, problem: problem)
        }
        sleep = SleepSource(loop: loop, mediator: mediator, login: login, inhibitor: inhibitor)
        shutdown = ShutdownSource(loop: loop, mediator: mediator, login: login, inhibitor: inhibitor)
        (self.login, self.requests) = (login, requests)
        owner = login.onOwner { [weak self] in if $0 { self?.refresh() } }
        bus.addObserver { [weak self] in if $0 { self?.refresh() } }
    }

    /// Releases the locks, so that nobody waits for this process.
    package func releaseLocks() {
        for inhibitor in inhibitors { inhibitor.release() }
    }

    /// Asks logind for its state and for the locks, after logind or this process has come back.
    package func refresh() {
        login.bus.ask(login.delayMax) { [inhibitors] in
            guard let time = try? $0.get() else { return }
            for inhibitor in inhibitors { inhibitor.delayMax = time }
        }
        sleep.askLogin()
        shutdown.askLogin()
    }

    /// Calls `body` once when the machine neither sleeps nor is about to, and no request for a lock is pending; which
    /// may be now.
    package func whenIdle(_ body: @escaping () -> Void) {
        requests.whenAnswered { [weak self] in
            guard let self else { return }
            if sleep.isSleeping { sleep.whenAwake { [weak self] in self?.whenIdle(body) } } else { body() }
        }
    }

    private var inhibitors: [DelayInhibitor] { [sleep.inhibitor, shutdown.inhibitor] }
}

/// What a service should know of its locks.
package nonisolated enum LoginProblem: Sendable, Equatable {
    /// logind refused the lock.
    case refused(LoginManager.Operation, BusError)
    /// logind stops waiting after this time, and the work is not done.
    case overrun(LoginManager.Operation, Duration)
}

/// The requests for locks that logind has not answered.
final class LockRequests {
    private var pending = 0
    private var waiting: [() -> Void] = []
    private let idle: () -> Void

    /// - Parameter idle: called whenever the last one has been answered.
    init(idle: @escaping () -> Void) { self.idle = idle }

    func began() { pending += 1 }

    /// One was answered, has failed, or was cancelled.
    func ended() {
        pending -= 1
        guard pending == 0 else { return }
        idle()
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }

    /// Calls `body` once when none is pending, which may be now.
    func whenAnswered(_ body: @escaping () -> Void) {
        if pending == 0 { body() } else { waiting.append(body) }
    }
}
