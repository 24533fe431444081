// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Shares of the time.
extension ReferenceModel {
    /// The times that these get: what they want if there is enough for all. Otherwise those that want less than an equal part
    /// get what they want, as long as there are such, and the others an equal part of the rest.
    func divided(_ times: [Duration], within left: Duration) -> [Duration] {
        var open = times.map(microseconds)
        var rest = microseconds(left)
        while !open.isEmpty {
            let part = rest / Int64(open.count)
            let small = open.filter { $0 <= part }
            if small.isEmpty { return times.map { min($0, .microseconds(part)) } }
            rest -= small.reduce(0, +)
            open.removeAll { $0 <= part }
        }
        return times
    }

    /// The share of an answer before the later groups and steps, and after which time it is late. What those before it did not
    /// use is there for it. Only a stop limits how long progress could make it.
    func share(of wanted: Duration, in delivery: ModelDelivery) -> (time: Duration, last: Duration) {
        guard delivery.limit < .max else { return (wanted, wanted) }
        let left = remaining(until: delivery.limit)
        if delivery.limit < delivery.dividedLimit {
            let open = delivery.groups.count + 1 + delivery.steps
            delivery.later = divided(delivery.wanted.suffix(open), within: left)
        }
        delivery.dividedLimit = delivery.limit
        let later = delivery.later.suffix(delivery.groups.count + delivery.steps).reduce(.zero, +)
        let time = min(wanted, max(left - later, .zero))
        guard let stop = stop else { return (time, wanted) }
        let kept = stop === current ? .zero : deadlines.stop - deadlines.stop / 2
        let end = stop.began + UInt64(microseconds(deadlines.stop * deadlines.stopExtensionMax - kept))
        return (time, min(wanted, max(time, remaining(until: end) - min(later, left))))
    }

    /// The stop that is under way or waits.
    var stop: ModelTransition? { ([current].compactMap { $0 } + waiting).first { $0.trigger == .stop } }

    /// The end of a transition's time. Before a stop it has at most half of the stop's.
    func limit(of transition: ModelTransition) -> UInt64 {
        let own = transition.began + UInt64(microseconds(time(of: transition.trigger)))
        guard let stop, stop !== transition else { return own }
        return min(own, stop.began + UInt64(microseconds(deadlines.stop)) / 2)
    }

    private func time(of trigger: LifecycleTrigger) -> Duration {
        switch trigger {
        case .stop: deadlines.stop
        case .launch, .reload: deadlines.start
        default: deadlines.transition
        }
    }

    /// Deadlines change: the limits are counted anew from the beginnings.
    func retune(_ new: LifecycleDeadlines) {
        deadlines = new
        if let stop, stop !== current { stop.limit = limit(of: stop) }
        guard let current else { return }
        let limit = limit(of: current)
        guard limit != current.limit else { return }
        current.limit = limit
        if isAwaitingTasks {
            waitStart = now
            waitEnd = 0
            limitWait(of: current)
        }
        if let delivery {
            delivery.limit = limit
            if !delivery.isCutShort { retime(delivery) }
        }
    }

    /// Divides the time among the groups of a step and the steps behind it when it begins.
    func divide(for delivery: ModelDelivery, then steps: [StateTable.Step]) {
        let later = timesOfSteps(steps)
        delivery.wanted = delivery.groups.map { time(of: $0, for: delivery.name) } + later
        delivery.steps = later.count
        delivery.later = divided(delivery.wanted, within: remaining(until: delivery.limit))
        delivery.dividedLimit = delivery.limit
    }

    /// The time that a group wants. Immediate answers want none.
    func time(of group: [ModelListener], for name: LifecycleNotification.Name) -> Duration {
        var longest = Duration.zero
        for listener in group where !listener.isGone {
            guard let answer = listener.answer(to: name, action: ""), answer.kind != .immediate else { continue }
            longest = max(longest, answer.deadline ?? deadlines.listener)
        }
        return longest
    }

    func timesOfSteps(_ steps: [StateTable.Step]) -> [Duration] {
        steps.compactMap(\.name).flatMap { name in groups(answering: name).map { time(of: $0, for: name) } }
    }

    func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }
}
