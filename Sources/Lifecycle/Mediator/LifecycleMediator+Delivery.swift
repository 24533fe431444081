// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

extension LifecycleMediator {
    /// Makes a notification, with the next number.
    func make(
        _ name: LifecycleNotification.Name, from: LifecycleState, to: LifecycleState, _ userInfo: UserInfo,
        _ origin: LifecycleOrigin, trigger: LifecycleTrigger? = nil, configuration: LifecycleConfiguration? = nil
    ) -> LifecycleNotification {
        sequence.last += 1
        return LifecycleNotification(
            name: name, sequence: sequence.last, time: clock.now, previousState: from, state: to, origin: origin,
            trigger: trigger, userInfo: userInfo, configuration: configuration)
    }

    /// Calls the observers.
    func announce(_ notification: LifecycleNotification) {
        observersOfAll.call(notification)
        observers[notification.name]?.call(notification)
    }

    /// Makes ready to tell the listeners, in the order that the name asks for.
    func delivery(
        of notification: LifecycleNotification, deadline: @escaping (LifecycleAnswer) -> Duration,
        _ completion: ((LifecycleReport) -> Void)?
    ) -> Delivery {
        let order = notification.name.isLeaving ? entries.reversed() : entries
        return Delivery(notification, to: order, clock: clock, deadline: deadline) { [reportObservers] report in
            for observer in reportObservers { observer(report) }
            completion?(report)
        }
    }

    /// Posts the notification of a step of a transition, and makes ready to tell the listeners of it.
    func deliver(
        _ name: LifecycleNotification.Name, _ step: LifecycleStep, of transition: Transition,
        _ completion: @escaping (LifecycleReport) -> Void
    ) -> Delivery {
        if transition.trigger == .stop, transition.limitUsec == nil {
            transition.limitUsec = clock.now.monotonicUsec &+ UInt64(deadlines.stop / .microseconds(1))
        }
        let notification = make(
            name, from: step.from, to: step.to, userInfo(for: name, of: transition), transition.origin,
            trigger: transition.trigger, configuration: transition.configuration)
        announce(notification)
        return delivery(
            of: notification, deadline: { [unowned self] in min(deadline(of: $0), remaining(of: transition)) },
            completion)
    }

    func deadline(of answer: LifecycleAnswer) -> Duration { answer.deadline ?? deadlines.listener }

    private func remaining(of transition: Transition) -> Duration {
        guard let limit = transition.limitUsec else { return .seconds(Int64.max / 2) }
        let now = clock.now.monotonicUsec
        return limit > now ? .microseconds(limit - now) : .zero
    }

    private func userInfo(for name: LifecycleNotification.Name, of transition: Transition) -> UserInfo {
        switch name {
        case .willTerminate where transition.trigger == .launch:
            return ["reason": "launchRefused", "reasons": .array(transition.reasons.map { .string($0) })]
        case .willTerminate:
            let left = remaining(of: transition) / .microseconds(1)
            return transition.userInfo.merging(["deadlineUsec": .int(Int64(left))]) { given, _ in given }
        case .didFailToReload: return ["reasons": .array(transition.reasons.map { .string($0) })]
        case .willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive: return [:]
        default: return transition.userInfo
        }
    }
}
