// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import EventLoop
package import Lifecycle
package import ServiceManager

/// Tells of the machine's sleep: pauses the service and posts `willSleep` before it, posts `didWake` and continues the
/// service after it. With the inhibitor, logind waits until the listeners are done.
package final class SleepSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private var phase = SleepPhase()
    private var timer: TimerEventSource?
    private var match: BusMatch?

    /// Makes a sleep wait, while it is wanted.
    package let inhibitor: Inhibitor
    /// Called when listeners took longer than logind waits.
    package var onOverrun: ((Duration) -> Void)?

    /// Listens from now on.
    package init(loop: MainEventLoop, mediator: LifecycleMediator, login: LoginManager, who: String) {
        self.loop = loop
        self.mediator = mediator
        inhibitor = Inhibitor(.sleep, of: login, who: who, why: "Listeners get ready for the sleep")
        match = login.onSleep { [unowned self] begins in begins ? announced() : act(phase.ended()) }
    }

    /// Whether the machine is about to sleep, or asleep.
    package var isSleeping: Bool { phase.isSleeping }

    /// logind is there, for the first time or again.
    func loginAppeared() {
        if !isSleeping { inhibitor.take() }
    }

    private func announced() {
        let steps = phase.announced(isForeground: mediator.state == .active || mediator.state == .inactive)
        guard !steps.isEmpty else { return }
        timer = inhibitor.timer(on: loop) { [unowned self] in overrun() }
        act(steps)
    }

    private func overrun() {
        let steps = phase.timeIsUp()
        if !steps.isEmpty { onOverrun?(inhibitor.delayMax) }
        act(steps)
    }

    private func act(_ steps: [SleepPhase.Step]) {
        for step in steps {
            switch step {
            case .pause: mediator.perform(.pause) { [weak self] _ in self?.go { $0.paused() } }
            case .tell: mediator.post(.willSleep) { [weak self] _ in self?.go { $0.told() } }
            case .release:
                timer = nil
                inhibitor.release()
            case .wake: mediator.post(.didWake) { [weak self] _ in self?.go { $0.woken() } }
            case .resume: mediator.perform(.resume)
            case .lock:
                timer = nil
                inhibitor.take()
            }
        }
    }

    private func go(_ move: (inout SleepPhase) -> [SleepPhase.Step]) { act(move(&phase)) }
}
