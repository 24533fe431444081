// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import Lifecycle
package import BelfrySystemd

/// Tells of the machine's sleep: pauses the service and posts `willSleep` before it, posts `didWake` and continues the
/// service after it. With the inhibitor, logind waits until the listeners are done.
package final class SleepSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let login: LoginManager
    private var phase = SleepPhase()
    private var timer: TimerEventSource?
    private var match: BusMatch?
    /// How many answers of logind are to come. What it announces until then is in the last of them, and may be over.
    private var questions = 0

    /// Makes a sleep wait, while it is wanted.
    package let inhibitor: Inhibitor
    /// Called when listeners took longer than logind waits.
    package var onOverrun: ((Duration) -> Void)?

    /// Listens from now on.
    package init(loop: MainEventLoop, mediator: LifecycleMediator, login: LoginManager, who: String) {
        self.loop = loop
        self.mediator = mediator
        self.login = login
        inhibitor = Inhibitor(.sleep, of: login, who: who, why: "Listeners get ready for the sleep")
        match = login.onSleep { [unowned self] in if questions == 0 { hear(of: $0) } }
    }

    /// Whether the machine is about to sleep, or asleep.
    package var isSleeping: Bool { phase.isSleeping }

    /// Asks logind, which is there for the first time or again, or has not been heard for a while.
    func askLogin() {
        questions += 1
        login.isPreparing(for: .sleep) { [weak self] answer in
            guard let self else { return }
            questions -= 1
            guard questions == 0 else { return }
            if let begins = try? answer.get() { hear(of: begins) } else if !isSleeping { inhibitor.take() }
        }
    }

    private func hear(of begins: Bool) {
        guard begins else { return act(phase.ended()) }
        let steps = phase.announced(pauses: mediator.pauses)
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
            case .pause:
                let back = whileThisSleepLasts { (phase, report: TransitionReport) in
                    phase.paused(hasMoved: !report.notifications.isEmpty)
                }
                mediator.pauseForSleep(back)
            case .hurry: mediator.hurryPauseForSleep()
            case .revoke:
                let isGone = mediator.revokePauseForSleep()
                act(phase.revoked(goesOn: !isGone, pauses: mediator.pauses))
            case .tell:
                mediator.post(.willSleep, completion: whileThisSleepLasts { phase, _ in phase.told() })
            case .release:
                timer = nil
                inhibitor.release()
            case .wake:
                let mediator = mediator
                mediator.post(
                    .didWake, completion: whileThisSleepLasts { phase, _ in phase.woken(pauses: mediator.pauses) })
            case .resume: mediator.perform(.resume)
            case .lock:
                timer = nil
                inhibitor.take()
            }
        }
    }

    /// What comes back from a sleep moves on that sleep and no other.
    private func whileThisSleepLasts<Report>(
        _ move: @escaping (inout SleepPhase, Report) -> [SleepPhase.Step]
    ) -> (Report) -> Void {
        let number = phase.number
        return { [weak self] report in
            if let self, phase.number == number { act(move(&phase, report)) }
        }
    }
}
