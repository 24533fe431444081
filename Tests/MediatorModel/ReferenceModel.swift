// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

/// A simple model of a mediator: everything in arrays, no cache, no task and no actor.
final class ReferenceModel {
    let scenario: Scenario
    var deadlines: LifecycleDeadlines
    let clock = ManualClock()
    var events: [ScenarioEvent] = []
    var lifecycleState = LifecycleState.notRunning
    /// Whether a listener failed when the service last entered the background.
    var hasFailedPause = false
    var sequence: UInt64 = 0
    var configuration = -1
    var reloads = 0
    var listeners: [ModelListener] = []
    var updated: [Bool]
    var callsOfListener: [Int]
    var hanging: [(call: ModelCall, delivery: ModelDelivery)] = []
    var observers: [(index: Int, token: Int)] = []
    var observed: [Int]
    var lastToken = 0
    var current: ModelTransition?
    var waiting: [ModelTransition] = []
    var delivery: ModelDelivery?
    var tasks: [ModelTask] = []
    var isAwaitingTasks = false
    var taskTimer: (any LifecycleTimer)?
    /// Whether a wait has begun since the last end of all tasks.
    var wasWaited = false
    /// How many waits have ended.
    private var waits = 0
    private var dropTimer: (any LifecycleTimer)?
    /// The beginning of the time that the wait for tasks divides.
    var waitStart: UInt64 = 0
    var waitEnd: UInt64 = 0
    var isWorking = false
    var due = Due.nothing

    /// What is due for the current transition.
    enum Due { case nothing, check, step }

    init(_ scenario: Scenario) {
        self.scenario = scenario
        deadlines = scenario.deadlines
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
        case .block(let duration): clock.block(for: duration)
        case .retune(let deadlines): retune(deadlines)
        case .resume(let index, let end):
            guard !hanging.isEmpty else { return }
            let (call, delivery) = hanging.remove(at: index % hanging.count)
            resume(call, of: delivery, end)
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
        case .endTask(let index): for task in tasks where task.index == index { end(task) }
        case .dropTask(let index): for task in tasks where task.index == index { drop(task) }
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
        let task = ModelTask(index, end: now + UInt64(microseconds(deadline)), expiration: expiration)
        tasks.append(task)
        if isAwaitingTasks, let current { limitWait(of: current) }
        task.timer = clock.schedule(after: deadline) { [unowned self] in expire(task) }
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
        remove(task)
        if tasks.isEmpty { waitForTasksNoMore() }
    }

    /// Ends a task whose owner releases it: what waits goes on in the next turn.
    private func drop(_ task: ModelTask) {
        remove(task)
        guard tasks.isEmpty, wasWaited else { return }
        dropTimer?.cancel()
        dropTimer = clock.schedule(after: .zero) { [unowned self] in
            if tasks.isEmpty { waitForTasksNoMore() }
        }
    }

    private func remove(_ task: ModelTask) {
        task.isEnded = true
        task.timer?.cancel()
        tasks.removeAll { $0 === task }
    }

    /// Ends the wait for tasks, also for those that began when one expired, but no wait that began then.
    func expireTasks() {
        let before = waits
        for task in tasks { expire(task) }
        if waits == before { waitForTasksNoMore() }
    }

    private func waitForTasksNoMore() {
        dropTimer?.cancel()
        wasWaited = false
        waits += 1
        guard isAwaitingTasks else { return }
        dropWait()
        due = .step
        work {}
    }

    func dropWait() {
        taskTimer?.cancel()
        isAwaitingTasks = false
    }
}

/// A trigger that was accepted, in the model.
final class ModelTransition {
    let trigger: LifecycleTrigger
    var count: Int?
    var askers: [(id: Int, then: [Scenario.Step])]
    var steps: [StateTable.Step] = []
    var began: UInt64 = 0
    var limit: UInt64 = 0
    var isCutShort = false
    var isGivenUp = false
    /// Whether `didReload` was delivered.
    var wasAccepted = false
    var reasons: [String] = []
    var configuration: Int?
    var delivered: [UInt64] = []

    init(_ trigger: LifecycleTrigger, id: Int, count: Int?, then: [Scenario.Step]) {
        self.trigger = trigger
        self.count = count
        askers = [(id, then)]
    }
    /// The user info of a notification: the count is in the notification that the trigger is about.
    func count(delivered name: LifecycleNotification.Name) -> Int? {
        switch name {
        case .willResignActive: trigger == .interrupt ? count : nil
        case .didEnterBackground: trigger == .pause ? count : nil
        case .didBecomeActive: trigger == .resume || trigger == .continued ? count : nil
        case .willTerminate: trigger == .launch ? nil : count
        case .willEnterForeground: nil
        default: count
        }
    }
}

/// A background task in the model.
final class ModelTask {
    let index: Int
    var expiration: [Scenario.Step]?
    var isEnded = false
    var timer: (any LifecycleTimer)?
    let end: UInt64

    init(_ index: Int, end: UInt64, expiration: [Scenario.Step]) {
        self.index = index
        self.end = end
        self.expiration = expiration
    }
}
