// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting

extension ReferenceModel {
    func post(_ name: LifecycleNotification.Name, _ action: String, _ id: Int?, _ then: [Scenario.Step]) {
        sequence += 1
        let number = sequence
        announce(name, number, from: lifecycleState, to: lifecycleState, count: nil)
        tell(
            ModelDelivery(
                name, action: action, number, configuration: nil, limit: .max, deadline: deadlines.listener,
                groups: groups(answering: name)
            ) { [unowned self] delivery in
                guard let id else { return }
                events.append(
                    .answered(
                        id: id, number, delivery.result,
                        handledBy: delivery.calls.first { $0.outcome == .handled }?.listener.plan.name,
                        delivery.answers))
                execute(then)
            })
    }

    /// Calls the observers of everything, then those of the name, each in the order in which they were added: those that
    /// were present before the first call and are still present when their turn comes.
    func announce(
        _ name: LifecycleNotification.Name, _ number: UInt64, from: LifecycleState, to: LifecycleState, count: Int?
    ) {
        let called =
            observers.filter { scenario.observers[$0.index].name == nil }
            + observers.filter { scenario.observers[$0.index].name == name }
        for observer in called where observers.contains(where: { $0.token == observer.token }) {
            events.append(
                .observed(observer.index, number, name, from: from, to: to, in: lifecycleState, count: count))
            let reactions = scenario.observers[observer.index].reactions
            let call = observed[observer.index]
            observed[observer.index] += 1
            if call < reactions.count { execute(reactions[call]) }
        }
    }

    func groups(answering name: LifecycleNotification.Name) -> [[ModelListener]] {
        let leaving: [LifecycleNotification.Name] = [
            .willResignActive, .didEnterBackground, .willTerminate, .willReload, .willSleep,
        ]
        let told = groups.map { $0.filter { listener in listener.answers.contains { $0.name == name } } }
        return leaving.contains(name) ? told.reversed() : told
    }

    /// Calls group after group as long as they answer immediately. The end of a call that hung continues from there.
    func tell(_ delivery: ModelDelivery) {
        guard !delivery.isTelling else { return }
        delivery.isTelling = true
        while !delivery.groups.isEmpty, !delivery.isWaiting, !delivery.isSettled {
            for listener in delivery.groups.removeFirst() where !listener.isGone {
                if let answer = listener.answer(to: delivery.name, action: delivery.action) {
                    call(listener, answer, delivery)
                }
            }
        }
        delivery.isTelling = false
        guard !delivery.isWaiting, !delivery.isDone else { return }
        delivery.isDone = true
        if scenario.hasReportObserver, !delivery.answers.isEmpty {
            events.append(.reported(delivery.sequence, delivery.answers))
        }
        delivery.done(delivery)
    }

    private func call(_ listener: ModelListener, _ answer: Scenario.Answer, _ delivery: ModelDelivery) {
        let hasResult = [.performFetch, .openURL, .performAction].contains(delivery.name)
        let isImmediate = answer.kind == .immediate && !hasResult
        let call = ModelCall(
            listener, number: callsOfListener[listener.index], start: now, deadline: answer.deadline,
            isImmediate: isImmediate)
        if isImmediate {
            call.last = delivery.isCutShort ? .zero : delivery.deadline
        } else if !delivery.isCutShort {
            give(call, share(of: call.deadline ?? deadlines.listener, in: delivery))
        }
        callsOfListener[listener.index] += 1
        delivery.calls.append(call)
        let knows = delivery.name != .openURL
        events.append(
            .received(
                listener.index, call: call.number, knows ? delivery.sequence : 0, delivery.name,
                configuration: knows ? delivery.configuration : nil))
        let behaviour = listener.plan.behaviour(call.number)
        execute(behaviour.before)
        guard case .hanging(let isStubborn, _) = behaviour.end, !isImmediate else {
            return end(call, ModelCall.outcome(behaviour.end, of: delivery.name), delivery)
        }
        call.hang = (isStubborn, behaviour.after, delivery.name, !hasResult && answer.kind == .completing)
        hanging.append((call, delivery))
        if call.outcome != nil {
            cancel(call)
        } else {
            limit(call, delivery)
        }
    }

    /// A share begins now.
    private func give(_ call: ModelCall, _ share: (time: Duration, last: Duration)) {
        let spent = Duration.microseconds(now - call.start)
        (call.time, call.last) = (spent + share.time, spent + share.last)
    }

    /// Times count from the beginning of the call, however long its first step has kept the thread.
    private func limit(_ call: ModelCall, _ delivery: ModelDelivery) {
        call.timer?.cancel()
        let left = call.time - .microseconds(now - call.start)
        guard left > .zero else { return overrun(call, delivery) }
        call.timer = clock.schedule(after: left) { [unowned self] in overrun(call, delivery) }
    }

    /// Shares out the time anew after a change of the limit. A call in its first step gets its new time at its first wait.
    func retime(_ delivery: ModelDelivery) {
        let asked = delivery.calls.filter { $0.outcome == nil && !$0.isImmediate }
        for call in asked {
            let spent = Duration.microseconds(now - call.start)
            give(call, share(of: max((call.deadline ?? deadlines.listener) - spent, .zero), in: delivery))
        }
        for call in asked where call.outcome == nil && call.timer != nil { limit(call, delivery) }
    }

    /// Ends a call for lack of time.
    private func overrun(_ call: ModelCall, _ delivery: ModelDelivery) {
        guard call.outcome == nil else { return }
        if call.hang != nil { cancel(call) }
        end(call, .overran, delivery)
    }

    private func cancel(_ call: ModelCall) {
        events.append(.cancelled(call.listener.index, call: call.number))
        if call.hang?.isStubborn == false { hanging.removeAll { $0.call === call } }
    }

    private func end(_ call: ModelCall, _ answer: ListenerOutcome, _ delivery: ModelDelivery) {
        guard call.outcome == nil else { return }
        call.timer?.cancel()
        call.duration = .microseconds(now - call.start)
        let isLate = call.last > .zero && call.duration > call.last
        let outcome = answer == .completed && isLate ? .late : answer
        call.outcome = outcome
        call.listener.calls += 1
        call.listener.failures += outcome.isProblem ? 1 : 0
        call.listener.lastOutcome = outcome
        tell(delivery)
    }

    /// A second stop: present and later calls have no time.
    func cutShort(_ delivery: ModelDelivery) {
        delivery.isCutShort = true
        for call in delivery.calls where !call.isImmediate { overrun(call, delivery) }
    }

    func resume(_ call: ModelCall, of delivery: ModelDelivery, _ outcome: Scenario.End) {
        guard let hang = call.hang else { return }
        // A task that waits no more has no handler for its cancellation; what calls back can be given up until it does.
        if !hang.isCompleting { call.hang = nil }
        execute(hang.after)
        end(call, ModelCall.outcome(outcome, of: hang.name), delivery)
    }
}

/// The delivery of a notification in the model.
final class ModelDelivery {
    let name: LifecycleNotification.Name
    let action: String
    let sequence: UInt64
    let configuration: Int?
    var limit: UInt64
    var groups: [[ModelListener]]
    /// For immediate answers.
    let deadline: Duration
    /// The times that the groups and the groups of later steps want.
    var wanted: [Duration] = []
    /// What they are to get.
    var later: [Duration] = []
    /// How many groups the later steps have.
    var steps = 0
    /// The limit that was divided.
    var dividedLimit: UInt64 = .max
    var calls: [ModelCall] = []
    var isTelling = false
    var isCutShort = false
    var isDone = false
    let done: (ModelDelivery) -> Void

    init(
        _ name: LifecycleNotification.Name, action: String, _ sequence: UInt64, configuration: Int?, limit: UInt64,
        deadline: Duration, groups: [[ModelListener]], _ done: @escaping (ModelDelivery) -> Void
    ) {
        self.name = name
        self.action = action
        self.sequence = sequence
        self.configuration = configuration
        self.limit = limit
        self.deadline = deadline
        self.groups = groups
        self.done = done
    }

    var isWaiting: Bool { calls.contains { $0.outcome == nil } }
    var isSettled: Bool { name == .openURL && calls.contains { $0.outcome == .handled } }

    var answers: [ScenarioEvent.Answered] {
        calls.map {
            ScenarioEvent.Answered(
                listener: $0.listener.plan.name, outcome: $0.outcome ?? .completed, duration: $0.duration)
        }
    }

    var result: FetchResult {
        if calls.contains(where: { $0.outcome == .fetched(.newData) }) { return .newData }
        return calls.contains { $0.outcome != .late && $0.outcome?.isProblem ?? true } ? .failed : .noData
    }

    /// A late answer fails nothing but a launch.
    var launchProblems: [String] {
        calls.compactMap { call in
            call.outcome == .late
                ? "\(call.listener.plan.name): answered after its deadline" : call.outcome.flatMap { call.problem($0) }
        }
    }

    var problems: [String] {
        calls.compactMap { call in call.outcome.flatMap { call.problem($0) } }
    }
}

/// A call of a listener in the model.
final class ModelCall {
    let listener: ModelListener
    let number: Int
    let start: UInt64
    let deadline: Duration?
    /// Its share, since its beginning.
    var time = Duration.zero
    /// After which time it is late.
    var last = Duration.zero
    /// Whether it ends within its call.
    let isImmediate: Bool
    var outcome: ListenerOutcome?
    var duration = Duration.zero
    var timer: (any LifecycleTimer)?
    /// Set for a call that hangs.
    var hang: (isStubborn: Bool, after: [Scenario.Step], name: LifecycleNotification.Name, isCompleting: Bool)?

    init(
        _ listener: ModelListener, number: Int, start: UInt64, deadline: Duration?, isImmediate: Bool
    ) {
        self.isImmediate = isImmediate
        self.listener = listener
        self.number = number
        self.start = start
        self.deadline = deadline
    }

    func problem(_ outcome: ListenerOutcome) -> String? {
        switch outcome {
        case .refused(let reason), .failed(let reason): "\(listener.plan.name): \(reason)"
        case .overran: "\(listener.plan.name): no answer within its deadline"
        default: nil
        }
    }

    static func outcome(_ end: Scenario.End, of name: LifecycleNotification.Name) -> ListenerOutcome {
        switch end {
        case .throwing: .failed("oops")
        case .refusing: .refused("no")
        case .returning(let value): outcome(value, of: name)
        case .hanging: outcome(1, of: name)
        }
    }

    private static func outcome(_ value: Int, of name: LifecycleNotification.Name) -> ListenerOutcome {
        switch name {
        case .performFetch: .fetched([.newData, .noData, .failed][value])
        case .openURL: value == 0 ? .handled : .declined
        case .performAction: .handled
        default: .completed
        }
    }
}
