// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

extension ReferenceModel {
    /// The rules of the queue.
    func accept(_ transition: ModelTransition) {
        work {
            if transition.trigger == .stop, let stop {
                stop.askers += transition.askers
                stop.isCutShort = true
                current?.isCutShort = true
                expireTasks()
                if let delivery { cutShort(delivery) }
            } else if transition.trigger == .stop {
                overtake(transition)
            } else if let twin = twin(of: transition) {
                twin.askers += transition.askers
                twin.count = (twin.count ?? 1) + (transition.count ?? 1)
            } else if stop != nil {
                finish(transition, .overtaken)
            } else {
                waiting.append(transition)
            }
        }
    }

    /// Does something, and then all that is due after it. What is asked for meanwhile is accepted, and has its turn later.
    func work(_ body: () -> Void) {
        guard !isWorking else { return body() }
        isWorking = true
        body()
        while goOn() {}
        isWorking = false
    }

    /// Does what is due next.
    ///
    /// - Returns: false if nothing is due.
    private func goOn() -> Bool {
        guard let transition = current else {
            guard !waiting.isEmpty else { return false }
            begin(waiting.removeFirst())
            return true
        }
        switch due {
        case .nothing: return false
        case .check: checkTasks(transition)
        case .step: proceed(transition)
        }
        return true
    }

    /// A stop comes before all transitions that wait for their turn, and before a pause that waits for tasks. Its time has
    /// begun. A launch under way has no time left, another transition must end within the first half of it.
    private func overtake(_ stop: ModelTransition) {
        var overtaken = waiting
        waiting = [stop]
        stop.began = now
        stop.limit = limit(of: stop)
        if isAwaitingTasks, let pause = current {
            dropWait()
            current = nil
            overtaken.insert(pause, at: 0)
        }
        let shortened = current
        if let shortened {
            shortened.limit = min(shortened.limit, limit(of: shortened))
            delivery?.limit = shortened.limit
            if shortened.trigger == .launch { shortened.isCutShort = true }
        }
        for transition in overtaken { finish(transition, .overtaken) }
        guard let shortened, let delivery else { return }
        if shortened.trigger == .launch { return cutShort(delivery) }
        if !delivery.isCutShort { retime(delivery) }
    }

    /// A reload is merged with any that waits, another trigger with the last that waits; suspensions are not merged.
    private func twin(of transition: ModelTransition) -> ModelTransition? {
        if transition.trigger == .endSuspension { return nil }
        if transition.trigger == .reload { return waiting.first { $0.trigger == .reload } }
        return waiting.last?.trigger == transition.trigger ? waiting.last : nil
    }

    private func begin(_ transition: ModelTransition) {
        current = transition
        if transition.trigger != .stop {
            transition.began = now
            transition.limit = limit(of: transition)
        }
        transition.steps = StateTable.steps(
            lifecycleState, transition.trigger, isPaused: scenario.isPaused, hasFailedPause: hasFailedPause)
        due = transition.steps.isEmpty ? .step : .check
        if transition.trigger == .reload, !transition.steps.isEmpty { read(transition) }
    }

    /// A pause and a stop wait for background tasks before every step but `willResignActive`, and at their end.
    private func checkTasks(_ transition: ModelTransition) {
        due = .step
        guard [.pause, .stop].contains(transition.trigger), !tasks.isEmpty,
            transition.steps.first?.name != .willResignActive
        else { return }
        if transition.trigger != .stop, waiting.contains(where: { $0.trigger == .stop }) { return }
        if transition.isCutShort { return expireTasks() }
        due = .nothing
        (isAwaitingTasks, wasWaited) = (true, true)
        waitStart = now
        waitEnd = 0
        limitWait(of: transition)
    }

    /// Divides the time since the beginning of a wait among all tasks that there are now and the listeners. The end of the wait
    /// never moves back. If there is enough for all tasks, there is no end but that of the last.
    func limitWait(of transition: ModelTransition) {
        func time(to end: UInt64) -> Duration { .microseconds(end > waitStart ? end - waitStart : 0) }
        let wanted = time(to: tasks.map(\.end).max() ?? 0)
        let left = time(to: transition.limit)
        let later = divided([wanted] + timesOfSteps(transition.steps), within: left).dropFirst().reduce(.zero, +)
        let share = min(wanted, max(left - later, .zero))
        waitEnd = max(waitEnd, waitStart + UInt64(microseconds(share)))
        taskTimer?.cancel()
        guard share < wanted else { return }
        taskTimer = clock.schedule(after: remaining(until: waitEnd)) { [unowned self] in expireTasks() }
    }

    private func read(_ transition: ModelTransition) {
        if scenario.reloads[reloads % scenario.reloads.count] {
            transition.configuration = reloads
        } else {
            transition.reasons = ["unreadable"]
        }
        reloads += 1
    }

    /// Begins the next step, or ends.
    private func proceed(_ transition: ModelTransition) {
        guard !transition.steps.isEmpty else {
            current = nil
            let failure: TransitionReport.Result =
                transition.wasAccepted ? .failed(transition.reasons) : .refused(transition.reasons)
            let end = transition.reasons.isEmpty ? .completed : failure
            let result = transition.isGivenUp ? .overtaken : end
            finish(transition, result)
            events.append(.transition(transition.trigger, result))
            return
        }
        let step = transition.steps.removeFirst()
        if step.isArrival { lifecycleState = step.to }
        guard let name = step.name else { return }
        due = .nothing
        sequence += 1
        let number = sequence
        announce(name, number, from: step.from, to: step.to, count: transition.count(delivered: name))
        let next = ModelDelivery(
            name, action: "", number, configuration: transition.configuration, limit: transition.limit,
            deadline: deadlines.listener, groups: groups(answering: name)
        ) { [unowned self] delivered in
            delivery = nil
            transition.delivered.append(number)
            if !step.isArrival { lifecycleState = step.to }
            if name == .didEnterBackground { hasFailedPause = !delivered.problems.isEmpty }
            judge(name, delivered, transition)
            due = .check
            work {}
        }
        divide(for: next, then: transition.steps)
        delivery = next
        next.isCutShort = transition.isCutShort
        tell(next)
    }

    private func judge(_ name: LifecycleNotification.Name, _ delivered: ModelDelivery, _ transition: ModelTransition) {
        switch name {
        case .willFinishLaunching, .didFinishLaunching:
            let isStopping = waiting.contains { $0.trigger == .stop }
            let isLate = delivered.calls.contains { $0.outcome == .overran }
            if isStopping, isLate {
                transition.isGivenUp = true
                transition.steps = []
            } else if !delivered.launchProblems.isEmpty {
                transition.reasons = delivered.launchProblems
                transition.steps = StateTable.steps(.inactive, .refuseLaunch)
            }
        case .willReload, .didReload:
            transition.wasAccepted = name == .didReload
            transition.reasons += delivered.problems
            if !transition.reasons.isEmpty {
                transition.configuration = configuration
                transition.steps = [
                    StateTable.Step(name: .didFailToReload, from: lifecycleState, to: lifecycleState)
                ]
            } else if name == .didReload {
                configuration = transition.configuration ?? configuration
            }
        default: break
        }
    }

    private func finish(_ transition: ModelTransition, _ result: TransitionReport.Result) {
        for asker in transition.askers {
            events.append(
                .ended(
                    id: asker.id, transition.trigger, result, notifications: transition.delivered,
                    isCutShort: transition.isCutShort))
            execute(asker.then)
        }
    }
}
