// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

extension LifecycleMediator {
    /// Whether the delivery of this name ends before `post` returns: all answers are immediate, or there are none.
    package func isAnsweredAtOnce(_ name: LifecycleNotification.Name) -> Bool {
        registry.answering(nil, name)?.isImmediate ?? true
    }

    /// The names of the listeners that a notification is delivered to, in the order of the calls. None for a URL that
    /// one of them opens: each is asked only if those before it decline.
    package func listeners(answering notification: LifecycleNotification) -> [String] {
        let calls = registry.calls(of: notification.name)
        guard !calls.isEmpty, !notification.isForOne else { return [] }
        return calls.lazy.filter { $0.answer(to: notification) != nil }.map(\.entry.place.name)
    }

    /// Calls the observers of everything and those of the name.
    func announce(_ notification: LifecycleNotification, to recipients: Recipients?) {
        // Both calls are prepared before any observer is called: one that is added by a call is first called
        // for the next post.
        let named = recipients?.observers.beginCall()
        if !observersOfAll.isEmpty { observersOfAll.call(notification, upTo: observersOfAll.beginCall()) }
        guard let recipients, let named else { return }
        recipients.observers.call(notification, upTo: named)
        if recipients.isEmpty { registry.removeIfEmpty(recipients) }
    }

    /// Delivers a post to the listeners.
    func deliver(
        _ recipients: Recipients, _ notification: consuming LifecycleNotification,
        _ completion: ((LifecycleReport) -> Void)?
    ) {
        // If nobody asks for the others: a report costs as much as an answer.
        let onlyNotable = completion == nil && recipients.isImmediate && !eventObservers.observes(.delivered)
        let round = AnswerRound(
            notification, to: recipients.calls, deadline: limits.listener, events: eventObservers,
            onlyNotable: onlyNotable)
        guard let lasting = round.nextLasting(clock) else {
            if !onlyNotable || !round.isEmpty { report(round.report, completion) }
            return
        }
        Delivery(
            round, clock: clock, isOutcomeWanted: completion != nil,
            share: { [self] answer, _, _ in TimeShare(deadline(of: answer)) },
            progress: { [unowned self, round] in report($1, of: $0, handling: round.notification) },
            lateEnd: { [weak self, round] in self?.eventObservers.send(.listenerEnded($0, round.notification)) }
        ) { [unowned self] in report($0, completion) }.advance(from: lasting)
    }

    /// A listener reports progress to a post that waits for it.
    private func report(_ progress: ProgressReport, of name: String, handling notification: LifecycleNotification) {
        eventObservers.send(
            .progress(
                LifecycleProgress(
                    progress, of: name, notification.sequence, for: nil, window: progress.window,
                    remaining: progress.window, isExtended: false)))
    }

    func report(_ report: LifecycleReport, _ completion: ((LifecycleReport) -> Void)?) {
        if eventObservers.observes(.listenerFailed) {
            for listener in report.listeners where listener.outcome.isProblem {
                eventObservers.send(.listenerFailed(listener, report.notification))
            }
        }
        if !report.listeners.isEmpty, eventObservers.observes(.delivered) { eventObservers.send(.delivered(report)) }
        if report.notification.trigger == nil, report.isNotable { eventObservers.send(.postAnswered(report)) }
        completion?(report)
    }

    /// Reports a post of an observer that leads to its next call. It is not delivered.
    func reportEndless(_ notification: LifecycleNotification, _ completion: ((LifecycleReport) -> Void)?) {
        let observer = ListenerReport(
            listener: "observer of \(notification.name.rawValue)", outcome: .endlessPosts, start: clock.monotonic,
            duration: .zero, work: nil, overrunReason: nil, isRequired: false)
        report(LifecycleReport(notification: notification, listeners: [observer]), completion)
    }

    /// Posts the notification of a step of a transition, and prepares its delivery.
    func delivery(
        of name: LifecycleNotification.Name, _ step: LifecycleStep, in transition: Transition
    ) -> Delivery {
        let notification = LifecycleNotification(
            name: name, sequence: sequence.next(), time: clock.now, previousState: step.from, state: step.to,
            origin: transition.origin, trigger: transition.trigger, userInfo: userInfo(for: name, of: transition),
            configuration: transition.configuration)
        announce(notification, to: registry.find(name))
        let round = AnswerRound(
            notification, to: registry.calls(of: name), deadline: deadlines.listener, events: eventObservers)
        return Delivery(
            round, clock: clock, share: shares(in: transition, name),
            progress: { [weak self] in self?.report($1, of: $0, notification.sequence, in: transition) },
            lateEnd: { [weak self] in self?.eventObservers.send(.listenerEnded($0, notification)) }
        ) { [weak self] in self?.delivered(step, $0, of: transition) }
    }

    /// Computes the share of each answer of a step when it is called. The time of the transition is divided among all
    /// later groups and steps when the step begins, and again when it has become shorter.
    func shares(in transition: Transition, _ name: LifecycleNotification.Name) -> Delivery.Share {
        let own = timesWanted(by: name)
        var times = WantedTimes(
            own + timesWanted(for: transition.steps), within: transitions.remaining(transition))
        var limitUsec = transition.limitUsec
        // An answer may end after its mediator.
        return { [weak self, count = own.count] answer, spent, groupsLeft in
            guard let self, !answer.isImmediate else { return TimeShare(.zero) }
            let left = transitions.remaining(transition)
            if transition.limitUsec < limitUsec { times.divide(left, from: count - groupsLeft - 1) }
            limitUsec = transition.limitUsec
            let wanted = max(deadline(of: answer) - spent, .zero)
            return times.share(of: wanted, before: count - groupsLeft, within: left)
                .extended(within: transitions.extensionLeft(of: transition, from: clock.monotonicUsec))
        }
    }

    /// The times that the groups of listeners of these steps want, in the order of the calls.
    func timesWanted(for steps: [LifecycleStep]) -> [Duration] { steps.compactMap(\.name).flatMap(timesWanted(by:)) }

    /// The time that each group of listeners wants for a name: that of the member that wants most. None for immediate
    /// answers.
    func timesWanted(by name: LifecycleNotification.Name) -> [Duration] {
        registry.calls(of: name).reduce(into: []) { times, call in
            let time = call.entry.time(for: name, unless: deadlines.listener)
            if call.group < times.count { times[call.group] = max(times[call.group], time) } else { times.append(time) }
        }
    }

    func deadline(of answer: LifecycleAnswer) -> Duration { answer.deadline ?? deadlines.listener }

    func userInfo(for name: LifecycleNotification.Name, of transition: Transition) -> UserInfo {
        switch name {
        case .willTerminate where transition.trigger == .launch:
            return Termination(.launchRefused).userInfo.merging(
                ["reasons": .array(transition.reasons.map { .string($0) })]
            ) { $1 }
        case .willTerminate:
            let left = transitions.remaining(transition).signedMicroseconds
            return transition.userInfo.merging(["deadlineUsec": .int(left)]) { given, _ in given }
        case .didFailToReload:
            var userInfo = transition.userInfo.filter { $0.key == "count" }
            userInfo["reasons"] = .array(transition.reasons.map { .string($0) })
            if case .failed = transition.result { userInfo["accepted"] = true }
            return userInfo
        case .didEnterBackground where transition.trigger == .pause,
            .didBecomeActive where transition.trigger == .resume || transition.trigger == .continued,
            .willResignActive where transition.trigger == .interrupt:
            return transition.userInfo.filter { $0.key == "count" || $0.key == "reason" }
        case .willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive: return [:]
        default: return transition.userInfo
        }
    }
}
