// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

/// What a mediator does, said as plainly as possible: everything in arrays, nothing cached, no task and no actor.
final class ReferenceModel {
    let scenario: Scenario
    let clock = ManualClock()
    var events: [ScenarioEvent] = []
    var lifecycleState = LifecycleState.notRunning
    var sequence: UInt64 = 0
    var configuration = -1
    var reloads = 0
    var listeners: [ModelListener] = []
    var updated: [Bool]
    var callsOfListener: [Int]
    var hanging: [ModelCall] = []
    var observers: [(index: Int, token: Int)] = []
    var observed: [Int]
    var lastToken = 0
    var current: ModelTransition?
    var waiting: [ModelTransition] = []
    var delivery: ModelDelivery?
    var tasks: [ModelTask] = []
    var whenNoTasks: (() -> Void)?
    var taskTimer: (any LifecycleTimer)?

    init(_ scenario: Scenario) {
        self.scenario = scenario
        updated = scenario.listeners.map { _ in false }
        callsOfListener = scenario.listeners.map { _ in 0 }
        observed = scenario.observers.map { _ in 0 }
    }

    var now: UInt64 { clock.now.monotonicUsec }

    func remaining(until limit: UInt64) -> Duration { limit > now ? .microseconds(limit - now) : .zero }

    var groups: [[ModelListener]] { ModelListener.groups(listeners) ?? [] }

    var state: ScenarioState {
        let ordered = groups.flatMap { $0 }
        return ScenarioState(
            state: lifecycleState, lastSequence: sequence, remainingTime: current.map { remaining(until: $0.limit) },
            pendingTimers: clock.pendingTimers,
            listeners: ordered.map {
                ScenarioState.Listener(
                    name: $0.plan.name, calls: $0.calls, failures: $0.failures, lastOutcome: $0.lastOutcome)
            }, actions: ordered.flatMap { $0.answers.filter { $0.name == .performAction }.map(\.action) },
            configuration: configuration < 0 ? nil : configuration)
    }

    func execute(_ steps: [Scenario.Step]) { for step in steps { execute(step) } }

    func execute(_ step: Scenario.Step) {
        switch step {
        case .perform(let trigger, let id, let count, let then):
            accept(ModelTransition(trigger, id: id, count: count, then: then))
        case .post(let name, let action, let id, let then): post(name, action, id, then)
        case .advance(let duration): clock.advance(by: duration)
        case .resume(let index, let end): if !hanging.isEmpty { resume(hanging.remove(at: index % hanging.count), end) }
        case .add(let index): add(index)
        case .remove(let index):
            for listener in listeners where listener.index == index { listener.isGone = true }
            listeners.removeAll(where: \.isGone)
        case .update(let index):
            updated[index].toggle()
            for listener in listeners where listener.index == index { listener.answers = answers(index) }
        case .observe(let index):
            guard !observers.contains(where: { $0.index == index }) else { return }
            lastToken += 1
            observers.append((index, lastToken))
        case .ignore(let index): observers.removeAll { $0.index == index }
        case .beginTask(let index, let deadline, let expiration): beginTask(index, deadline, expiration)
        case .endTask(let index), .dropTask(let index): for task in tasks where task.index == index { end(task) }
        }
    }

    private func answers(_ index: Int) -> [Scenario.Answer] {
        scenario.listeners[index].answers[updated[index] ? 1 : 0]
    }

    private func add(_ index: Int) {
        guard !listeners.contains(where: { $0.index == index }) else { return }
        let listener = ModelListener(index, scenario.listeners[index], answers: answers(index))
        if ModelListener.groups(listeners + [listener]) == nil {
            events.append(.notAdded(index))
        } else {
            listeners.append(listener)
        }
    }

    // MARK: Background tasks

    private func beginTask(_ index: Int, _ deadline: Duration, _ expiration: [Scenario.Step]) {
        guard !tasks.contains(where: { $0.index == index }) else { return }
        let task = ModelTask(index, end: now + UInt64(deadline / .microseconds(1)), expiration: expiration)
        task.timer = clock.schedule(after: deadline) { [unowned self] in expire(task) }
        tasks.append(task)
    }

    private func expire(_ task: ModelTask) {
        guard !task.isEnded else { return }
        if let expiration = task.expiration {
            task.expiration = nil
            events.append(.expired(task.index))
            execute(expiration)
        }
        end(task)
    }

    private func end(_ task: ModelTask) {
        guard !task.isEnded else { return }
        task.isEnded = true
        task.timer?.cancel()
        tasks.removeAll { $0 === task }
        if tasks.isEmpty { waitForTasksNoMore() }
    }

    /// The wait for tasks is over, also for those that were begun when it ended.
    func expireTasks() {
        for task in tasks { expire(task) }
        waitForTasksNoMore()
    }

    private func waitForTasksNoMore() {
        guard let body = whenNoTasks else { return }
        dropWait()
        body()
    }

    func dropWait() {
        taskTimer?.cancel()
        whenNoTasks = nil
    }
}
