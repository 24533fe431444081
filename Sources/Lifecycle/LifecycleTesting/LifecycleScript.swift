// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// Performs triggers and posts on a mediator, moves its clock, and records the notifications and results.
///
///     let script = LifecycleScript()
///     try script.mediator.addListener(listener)
///     await script.run(.perform(.launch), .advance(.seconds(3)), .perform(.stop))
///     #expect(script.notificationNames.last == "willTerminate")
@MainActor public final class LifecycleScript {
    /// One line of a script.
    public struct Step {
        fileprivate let run: (LifecycleMediator, ManualClock) throws -> Void

        /// Performs a trigger.
        public static func perform(_ trigger: LifecycleTrigger, userInfo: UserInfo = [:]) -> Step {
            Step { mediator, _ in mediator.perform(trigger, userInfo: userInfo) }
        }

        /// Performs a trigger with the user info of an event, such as a stop with a `Termination`.
        public static func perform(_ trigger: LifecycleTrigger, _ event: some LifecycleEvent) -> Step {
            perform(trigger, userInfo: event.userInfo)
        }

        /// Posts a notification.
        public static func post(_ name: LifecycleNotification.Name, userInfo: UserInfo = [:]) -> Step {
            Step { mediator, _ in mediator.post(name, userInfo: userInfo) }
        }

        /// Posts a typed notification.
        public static func post(_ event: some LifecycleEvent) -> Step { Step { mediator, _ in mediator.post(event) } }

        /// Moves the clock.
        public static func advance(_ duration: Duration) -> Step { Step { $1.advance(by: duration) } }

        /// Calls a closure. An error that it throws is recorded.
        public static func call(_ body: @escaping () throws -> Void) -> Step { Step { _, _ in try body() } }
    }

    /// The clock of the mediator.
    public let clock: ManualClock
    /// The mediator that the script runs on.
    public let mediator: LifecycleMediator
    /// The notifications, in order.
    public private(set) var notifications: [LifecycleNotification] = []
    /// The reports of the deliveries that have ended, in the order of their ends.
    public private(set) var reports: [LifecycleReport] = []
    /// The reports of the transitions that have ended.
    public private(set) var transitions: [TransitionReport] = []
    /// The errors of the steps.
    public private(set) var errors: [any Error] = []
    private var observations: [LifecycleObservation] = []
    private let source = ReloadSource()

    /// A script on a new mediator, or on a given one with its clock.
    public init(clock: ManualClock = ManualClock(), mediator: LifecycleMediator? = nil) {
        self.clock = clock
        self.mediator = mediator ?? source.mediator(clock: clock, configuration: nil)
        observations = [
            self.mediator.addObserver { [unowned self] in notifications.append($0) },
            self.mediator.addEventObserver(for: .delivered, .transitionEnded) { [unowned self] in record($0) },
        ]
    }

    /// What a reload of the new mediator reads; nil leaves the configuration in effect.
    public var readConfiguration: (() throws -> LifecycleConfiguration)? {
        get { source.read }
        set { source.read = newValue }
    }

    /// The events of this type among the notifications, in order.
    public func events<Event: LifecycleEvent>(_ type: Event.Type) -> [Event] {
        notifications.filter { $0.name == Event.name }.compactMap { Event(userInfo: $0.userInfo) }
    }

    /// The names of the notifications, in order.
    public var notificationNames: [String] { notifications.map(\.name.rawValue) }

    /// The problems of listeners, as «NOTIFICATION: NAME: REASON».
    public var problems: [String] {
        reports.flatMap { report in report.problems.map { "\(report.notification.name): \($0)" } }
    }

    /// Why launches and reloads were refused, as «NAME: REASON».
    public var refusals: [String] {
        transitions.flatMap { report -> [String] in
            if case .refused(let reasons) = report.result { reasons } else { [] }
        }
    }

    /// Runs the steps in order. After each step, other work of the main actor has `turns` turns, so that answers which
    /// only wait for other tasks of the main actor end before the next step.
    public func run(_ steps: Step..., turns: Int = 50) async {
        for step in steps {
            do { try step.run(mediator, clock) } catch { errors.append(error) }
            for _ in 0..<turns { await Task.yield() }
        }
    }

    private func record(_ event: LifecycleMediator.Event) {
        switch event {
        case .delivered(let report): reports.append(report)
        case .transitionEnded(let report): transitions.append(report)
        default: break
        }
    }
}
