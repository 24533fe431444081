// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Runs transitions, one at a time: asks the state machine what is owed, has it delivered, and judges the answers.
final class TransitionConductor {
    private(set) var machine = LifecycleStateMachine()
    /// The configuration that holds.
    private(set) var configuration: LifecycleConfiguration
    /// Reads the configuration anew.
    var readConfiguration: (() throws -> LifecycleConfiguration)?
    /// Hear of every transition that ran, when it has ended.
    var observers: [(TransitionReport) -> Void] = []
    private var queue = TransitionQueue()
    private var delivery: Delivery?
    private let deliver: Deliver

    /// Posts the notification of a step and tells the listeners of it.
    typealias Deliver = (
        _ name: LifecycleNotification.Name, _ step: LifecycleStep, _ transition: Transition,
        _ completion: @escaping (LifecycleReport) -> Void
    ) -> Delivery

    init(configuration: LifecycleConfiguration, deliver: @escaping Deliver) {
        self.configuration = configuration
        self.deliver = deliver
    }

    /// Accepts a transition, and begins it at once when no other is under way.
    func add(_ transition: Transition) {
        switch queue.add(transition) {
        case .queued(let overtaken): for transition in overtaken { transition.finish(.overtaken) }
        case .merged: break
        case .cutsShort(let stop):
            stop.cutShortBy = stop.cutShortBy ?? transition.origin
            delivery?.cutShort()
        }
        beginNext()
    }

    /// Whether a transition is under way.
    var isBusy: Bool { queue.current != nil }

    private func beginNext() {
        guard let transition = queue.begin() else { return }
        transition.steps = machine.steps(for: transition.trigger)
        if transition.trigger == .reload, !transition.steps.isEmpty { read(into: transition) }
        advance(transition)
    }

    private func read(into transition: Transition) {
        do {
            transition.configuration = try readConfiguration?() ?? configuration
        } catch let error as LifecycleReloadError {
            transition.reasons = error.reasons
        } catch {
            transition.reasons = [String(describing: error)]
        }
    }

    private func advance(_ transition: Transition) {
        guard !transition.steps.isEmpty else {
            queue.end()
            let report = transition.finish(transition.reasons.isEmpty ? .completed : .refused(transition.reasons))
            for observer in observers { observer(report) }
            return beginNext()
        }
        let step = transition.steps.removeFirst()
        if step.isArrival { machine.take(step) }
        guard let name = step.name else { return advance(transition) }
        let delivery = deliver(name, step, transition) { [self] report in
            self.delivery = nil
            transition.reports.append(report)
            if !step.isArrival { machine.take(step) }
            judge(step, report, transition)
            advance(transition)
        }
        self.delivery = delivery
        if transition.cutShortBy != nil { delivery.cutShort() }
        delivery.advance()
    }

    private func judge(_ step: LifecycleStep, _ report: LifecycleReport, _ transition: Transition) {
        switch step.name {
        case .willFinishLaunching where !report.refusals.isEmpty, .didFinishLaunching where !report.refusals.isEmpty:
            transition.reasons = report.refusals
            transition.steps = machine.steps(for: .refuseLaunch)
        case .willReload:
            transition.reasons += report.problems
            if !transition.reasons.isEmpty { goBack(transition) }
        case .didReload:
            transition.reasons = report.problems
            if transition.reasons.isEmpty {
                configuration = transition.configuration ?? configuration
            } else {
                goBack(transition)
            }
        default: break
        }
    }

    /// Nothing of the new configuration stays: every listener is told, and is given the old one.
    private func goBack(_ transition: Transition) {
        transition.configuration = configuration
        transition.steps = [LifecycleStep(.didFailToReload, machine.state, machine.state)]
    }
}
