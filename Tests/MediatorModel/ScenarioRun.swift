// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

/// A scenario on the real mediator.
final class ScenarioRun {
    let scenario: Scenario
    let mediator: LifecycleMediator
    var events: [ScenarioEvent] = []
    var hanging: [HangingAnswer] = []
    /// The requests whose completions must be called.
    private(set) var asked: Set<Int> = []
    private let clock = ManualClock()
    private let source = ReloadSource()
    private var listeners: [ScenarioListener] = []
    private var isPresent: [Bool]
    private var observations: [LifecycleObservation?]
    private var eventObservation: LifecycleObservation?
    private var observed: [Int]
    private var tasks: [BackgroundTask?] = [nil, nil, nil]
    private var reloads = 0
    /// Answers that were resumed and have not returned yet.
    private var returning = 0

    init(_ scenario: Scenario) {
        self.scenario = scenario
        mediator = source.mediator(clock: clock, deadlines: scenario.deadlines)
        isPresent = scenario.listeners.map { _ in false }
        observations = scenario.observers.map { _ in nil }
        observed = scenario.observers.map { _ in 0 }
        listeners = scenario.listeners.indices.map { ScenarioListener($0, in: self) }
        source.read = { [unowned self] in
            defer { reloads += 1 }
            guard scenario.reloads[reloads % scenario.reloads.count] else { throw LifecycleReloadError(["unreadable"]) }
            var configuration = LifecycleConfiguration()
            configuration[Int.self] = reloads
            return configuration
        }
        let record = { [unowned self] (event: LifecycleMediator.Event) in
            switch event {
            case .transitionEnded(let report): events.append(.transition(report.trigger, report.result))
            case .delivered(let report): events.append(.reported(report.notification.sequence, Self.answered(report)))
            default: break
            }
        }
        eventObservation =
            scenario.hasReportObserver
            ? mediator.addEventObserver(for: .transitionEnded, .delivered, using: record)
            : mediator.addEventObserver(for: .transitionEnded, using: record)
    }

    /// Runs a step, and waits until nothing changes by itself.
    func take(_ step: Scenario.Step) async {
        execute([step])
        while returning > 0, !Task.isCancelled { await Task.yield() }
    }

    var state: ScenarioState {
        ScenarioState(
            state: mediator.state, lastSequence: mediator.lastSequence, remainingTime: mediator.remainingTime,
            pendingTimers: clock.pendingTimers,
            listeners: mediator.listeners.map {
                ScenarioState.Listener(
                    name: $0.name, calls: $0.record.calls, failures: $0.record.failures,
                    lastOutcome: $0.record.lastOutcome)
            }, actions: mediator.actions.map(\.id), configuration: mediator.configuration[Int.self])
    }

    func execute(_ steps: [Scenario.Step]) { for step in steps { execute(step) } }

    /// Cancels an answer, which returns unless it is stubborn. One that calls back does so at once, without effect.
    func cancel(_ answer: HangingAnswer) {
        events.append(.cancelled(answer.listener, call: answer.call))
        guard !answer.isStubborn, hanging.contains(where: { $0 === answer }) else { return }
        hanging.removeAll { $0 === answer }
        answer.wasGivenUp = true
        if let completion = answer.completion { return completion(.success(())) }
        returning += 1
        answer.open()
    }

    /// Called at the end of a resumed answer.
    func returned() { returning -= 1 }

    private func execute(_ step: Scenario.Step) {
        switch step {
        case .perform(let trigger, let id, let count, let then):
            asked.insert(id)
            var info: UserInfo = count.map { ["count": .int(Int64($0))] } ?? [:]
            if trigger == .launch, scenario.isPaused { info["paused"] = true }
            mediator.perform(trigger, userInfo: info) { [unowned self] report in
                events.append(
                    .ended(
                        id: id, report.trigger, report.result,
                        notifications: report.notifications.map(\.notification.sequence),
                        isCutShort: report.cutShortBy != nil))
                execute(then)
            }
        case .post(let name, let action, let id, let then): post(name, action, id, then)
        case .advance(let duration): clock.advance(by: duration)
        case .block(let duration): clock.block(for: duration)
        case .retune(let deadlines): mediator.deadlines = deadlines
        case .resume(let index, let end): if !hanging.isEmpty { resume(hanging[index % hanging.count], end) }
        case .add(let index): add(index)
        case .remove(let index):
            isPresent[index] = false
            mediator.removeListener(listeners[index])
        case .update(let index):
            listeners[index].isUpdated.toggle()
            try! mediator.updateAnswers(of: listeners[index])  // Its answers differ.
        case .observe(let index): if observations[index] == nil { observe(index) }
        case .ignore(let index): observations[index] = nil
        case .beginTask(let index, let deadline, let expiration):
            guard tasks[index]?.isEnded ?? true else { return }
            tasks[index] = mediator.beginBackgroundTask(named: "T\(index)", deadline: deadline) { [unowned self] in
                events.append(.expired(index))
                execute(expiration)
            }
        case .endTask(let index): tasks[index]?.end()
        case .dropTask(let index): tasks[index] = nil
        }
    }

    private func post(_ name: LifecycleNotification.Name, _ action: String, _ id: Int?, _ then: [Scenario.Step]) {
        if let id { asked.insert(id) }
        mediator.post(
            name, userInfo: ["action": .string(action), "url": "x:y"],
            completion: id.map { id in
                { [unowned self] report in
                    events.append(
                        .answered(
                            id: id, report.notification.sequence, report.result, handledBy: report.handledBy,
                            Self.answered(report)))
                    execute(then)
                }
            })
    }

    private func resume(_ answer: HangingAnswer, _ end: Scenario.End) {
        hanging.removeAll { $0 === answer }
        answer.end = end
        if let completion = answer.completion {
            execute(answer.after)
            completion(Result { _ = try end.value() })
        } else {
            returning += 1
            answer.open()
        }
    }

    private func add(_ index: Int) {
        guard !isPresent[index] else { return }
        do throws(ListenerOrderError) {
            if scenario.listeners[index].isPrimary {
                try mediator.addPrimaryListener(listeners[index])
            } else {
                try mediator.addListener(listeners[index])
            }
            isPresent[index] = true
        } catch {
            events.append(.notAdded(index))
        }
    }

    private func observe(_ index: Int) {
        observations[index] = mediator.addObserver(forName: scenario.observers[index].name) { [unowned self] in
            events.append(
                .observed(
                    index, $0.sequence, $0.name, from: $0.previousState, to: $0.state, in: mediator.state,
                    count: Self.count($0)))
            let call = observed[index]
            observed[index] += 1
            let reactions = scenario.observers[index].reactions
            if call < reactions.count { execute(reactions[call]) }
        }
    }

    private static func count(_ notification: LifecycleNotification) -> Int? {
        if case .int(let count) = notification.userInfo["count"] { Int(count) } else { nil }
    }

    private static func answered(_ report: LifecycleReport) -> [ScenarioEvent.Answered] {
        report.listeners.map {
            ScenarioEvent.Answered(listener: $0.listener, outcome: $0.outcome, duration: $0.duration)
        }
    }
}

/// The state of a mediator after each step.
nonisolated struct ScenarioState: Equatable, Sendable {
    /// The record of a listener.
    struct Listener: Equatable, Sendable {
        let name: String
        let calls: Int
        let failures: Int
        let lastOutcome: ListenerOutcome?
    }

    let state: LifecycleState
    let lastSequence: UInt64
    let remainingTime: Duration?
    let pendingTimers: Int
    let listeners: [Listener]
    let actions: [String]
    let configuration: Int?
}
