// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

extension ReferenceModel {
    /// The rules of the queue.
    func accept(_ transition: ModelTransition) {
        let stop = ([current].compactMap { $0 } + waiting).first { $0.trigger == .stop }
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
        begin()
    }

    /// A stop comes before all transitions that wait, including a pause that waits for tasks. Its time has begun, and the
    /// transition under way must end within the first half of it.
    private func overtake(_ stop: ModelTransition) {
        var overtaken = waiting
        waiting = [stop]
        let time = UInt64(microseconds(scenario.deadlines.stop))
        stop.limit = now + time
        let half = now + time / 2
        var begun: ModelTransition?
        if whenNoTasks != nil, let pause = current {
            dropWait()
            if pause.delivered.isEmpty {
                current = nil
                overtaken.insert(pause, at: 0)
            } else {
                begun = pause
            }
        }
        for transition in overtaken { finish(transition, .overtaken) }
        if let current, current !== stop, half < current.limit {
            current.limit = half
            if let delivery {
                delivery.limit = half
                if !delivery.isCutShort { retime(delivery) }
            }
        }
        if let begun { proceed(begun) }
    }

    /// A reload is merged with any that waits, another trigger with the last that waits; suspensions are not merged.
    private func twin(of transition: ModelTransition) -> ModelTransition? {
        if transition.trigger == .endSuspension { return nil }
        if transition.trigger == .reload { return waiting.first { $0.trigger == .reload } }
        return waiting.last?.trigger == transition.trigger ? waiting.last : nil
    }

    private func begin() {
        guard current == nil, !waiting.isEmpty else { return }
        let transition = waiting.removeFirst()
        current = transition
        if transition.trigger != .stop {
            transition.limit = now + UInt64(microseconds(scenario.deadlines.transition))
        }
        transition.steps = StateTable.steps(lifecycleState, transition.trigger)
        guard !transition.steps.isEmpty else { return proceed(transition) }
        if transition.trigger == .reload { read(transition) }
        goOn(transition)
    }

    /// A pause and a stop wait for background tasks before their first step and after each of them.
    private func goOn(_ transition: ModelTransition) {
        guard [.pause, .stop].contains(transition.trigger), !tasks.isEmpty else { return proceed(transition) }
        if transition.trigger != .stop, waiting.contains(where: { $0.trigger == .stop }) { return proceed(transition) }
        if transition.isCutShort {
            expireTasks()
            return proceed(transition)
        }
        let last = tasks.map(\.end).max() ?? now
        let left = remaining(until: transition.limit)
        let wanted = min(Duration.microseconds(last > now ? last - now : 0), left)
        let time = share(of: wanted, before: timeOfSteps(transition.steps), within: left)
        taskTimer = clock.schedule(after: time) { [unowned self] in expireTasks() }
        whenNoTasks = { [unowned self] in proceed(transition) }
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
            let end: TransitionReport.Result = transition.reasons.isEmpty ? .completed : .refused(transition.reasons)
            let result = transition.isGivenUp ? .overtaken : end
            finish(transition, result)
            events.append(.transition(transition.trigger, result))
            return begin()
        }
        let step = transition.steps.removeFirst()
        if step.isArrival { lifecycleState = step.to }
        guard let name = step.name else { return proceed(transition) }
        sequence += 1
        let number = sequence
        announce(name, number, from: step.from, to: step.to, count: transition.count(delivered: name))
        let next = ModelDelivery(
            name, action: "", number, configuration: transition.configuration, limit: transition.limit,
            groups: groups(answering: name)
        ) { [unowned self] delivered in
            delivery = nil
            transition.delivered.append(number)
            if !step.isArrival { lifecycleState = step.to }
            judge(name, delivered, transition)
            goOn(transition)
        }
        next.later = later(than: next.groups, for: name, steps: transition.steps)
        delivery = next
        next.isCutShort = transition.isCutShort
        tell(next)
    }

    private func judge(_ name: LifecycleNotification.Name, _ delivered: ModelDelivery, _ transition: ModelTransition) {
        switch name {
        case .willFinishLaunching, .didFinishLaunching:
            let isStopping = waiting.contains { $0.trigger == .stop }
            if !delivered.refusals.isEmpty {
                transition.reasons = delivered.refusals
                transition.steps = StateTable.steps(.inactive, .refuseLaunch)
            } else if isStopping, delivered.calls.contains(where: { $0.outcome == .overran }) {
                transition.isGivenUp = true
                transition.steps = []
            }
        case .willReload, .didReload:
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
