// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfrySystemd
internal import Lifecycle

/// The machine's sleep: pauses the service and posts `willSleep` before it, posts `didWake` and continues the
/// service after it. With the inhibitor, logind waits until the listeners are done.
package final class SleepSource {
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private let login: LoginManager
    private var phase = SleepPhase()
    private var timer: TimerEventSource?
    private var match: BusMatch?
    /// How many answers of logind are pending. What it announces before the last answer is included in it, and may be
    /// over.
    private var questions = 0

    private var whenAwake: [() -> Void] = []

    /// Delays a sleep, while it is wanted.
    package let inhibitor: DelayInhibitor

    /// Listens from now on.
    init(
        loop: MainEventLoop, mediator: LifecycleMediator, login: LoginManager,
        inhibitor: (LoginManager.Operation, _ why: String) -> DelayInhibitor
    ) {
        self.loop = loop
        self.mediator = mediator
        self.login = login
        self.inhibitor = inhibitor(.sleep, "Listeners get ready for the sleep")
        match = login.onSleep { [unowned self] in if questions == 0 { update($0) } }
    }

    /// Whether the machine is about to sleep, or asleep.
    package var isSleeping: Bool { phase.isSleeping }

    /// Calls `body` once when the machine is awake, and the pause for its sleep has ended; which may be now.
    func whenAwake(_ body: @escaping () -> Void) {
        if isSleeping { whenAwake.append(body) } else { body() }
    }

    /// Asks logind whether a sleep is announced.
    func askLogin() {
        questions += 1
        login.bus.ask(login.isPreparing(for: .sleep)) { [weak self] answer in
            guard let self else { return }
            questions -= 1
            guard questions == 0 else { return }
            if let begins = try? answer.get() { update(begins) } else if !isSleeping { inhibitor.acquire() }
        }
    }

    private func update(_ begins: Bool) {
        guard begins else { return act(phase.ended()) }
        guard phase.isAwaiting else { return }
        timer = inhibitor.timer(on: loop) { [unowned self] in overrun() }
        act(phase.announced(pauses: mediator.pauses))
    }

    private func overrun() {
        let steps = phase.timeIsUp()
        if !steps.isEmpty { inhibitor.reportOverrun() }
        act(steps)
    }

    private func act(_ steps: [SleepPhase.Step]) {
        for step in steps {
            switch step {
            case .pause:
                mediator.pauseForSleep(waitingAtMost: inhibitor.delayMax / 2) { [weak self] report in
                    guard let self else { return }
                    act(phase.paused(hasMoved: !report.notifications.isEmpty, pauses: mediator.pauses))
                }
            case .hurry: mediator.hurryPauseForSleep()
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
                inhibitor.acquire()
            }
        }
        guard !isSleeping else { return }
        let bodies = whenAwake
        whenAwake = []
        for body in bodies { body() }
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

/// The progress of the service through a sleep of the machine. A pure value: it decides, and the source acts.
///
/// After a sleep the service comes back to the foreground if the pause for the sleep moved it and nobody else has
/// asked for a pause since: `pauses` is the number of other pauses so far.
package nonisolated struct SleepPhase: Sendable, Equatable {
    /// What is to be done.
    package enum Step: Sendable, Equatable {
        /// Pause the service, and come back with `paused()`.
        case pause
        /// End the pause at once, without waiting for anybody.
        case hurry
        /// Post `willSleep`, and come back with `told()`.
        case tell
        /// Let the machine sleep.
        case release
        /// Post `didWake`, and come back with `woken()`.
        case wake
        /// Bring the service back to the foreground.
        case resume
        /// Acquire the lock for the next sleep.
        case lock
    }

    private enum Phase: Sendable, Equatable {
        case awake, pausing, calledOff, telling, asleep, waking
    }

    private var phase = Phase.awake
    private var hasPaused = false
    private var pausesBefore = 0

    /// The number of the sleep. Completions of an earlier one are ignored.
    package private(set) var number = 0

    /// Whether a sleep was announced, and neither `didWake` was delivered nor the sleep called off.
    package var isSleeping: Bool { phase != .awake }

    /// Whether an announcement of a sleep is a new one.
    package var isAwaiting: Bool { ![.pausing, .telling, .asleep].contains(phase) }

    /// logind announces a sleep. If it comes before the service has returned from the last one, it stays paused.
    package mutating func announced(pauses: Int) -> [Step] {
        switch phase {
        case .pausing, .telling, .asleep: return []
        case .calledOff:
            // The pause for the last one is still under way.
            phase = .pausing
            return []
        case .waking: break
        case .awake: (hasPaused, pausesBefore) = (false, pauses)
        }
        phase = .pausing
        number += 1
        return [.pause]
    }

    /// The pause is over. `hasMoved`: whether it moved the service, which others may have paused before.
    package mutating func paused(hasMoved: Bool, pauses: Int) -> [Step] {
        if hasMoved { hasPaused = true }
        switch phase {
        case .pausing:
            phase = .telling
            return [.tell]
        case .calledOff:
            phase = .awake
            return back(pauses)
        // It waited for its turn until the machine was awake again.
        case .awake: return hasMoved ? back(pauses) : []
        case .telling, .asleep, .waking: return []
        }
    }

    /// All listeners have been told that the machine will sleep.
    package mutating func told() -> [Step] {
        guard phase == .telling else { return [] }
        phase = .asleep
        return [.release]
    }

    /// The time is up: listeners that were not notified are notified now.
    package mutating func timeIsUp() -> [Step] {
        defer { if phase == .pausing || phase == .telling { phase = .asleep } }
        return phase == .pausing ? [.hurry, .tell, .release] : phase == .telling ? [.release] : []
    }

    /// The machine woke, or stays awake. Without `willSleep` there is no `didWake`: a pause under way ends, and the
    /// service returns from it.
    package mutating func ended() -> [Step] {
        switch phase {
        case .awake, .waking, .calledOff: return [.lock]
        case .pausing:
            phase = .calledOff
            return [.lock]
        case .telling, .asleep:
            phase = .waking
            return [.lock, .wake]
        }
    }

    /// All listeners have been told that the machine woke.
    package mutating func woken(pauses: Int) -> [Step] {
        guard phase == .waking else { return [] }
        phase = .awake
        return back(pauses)
    }

    private func back(_ pauses: Int) -> [Step] { hasPaused && pauses == pausesBefore ? [.resume] : [] }
}
