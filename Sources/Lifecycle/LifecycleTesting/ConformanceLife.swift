// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// A whole lifecycle, step by step.
final class ConformanceLife {
    /// What happens to the service.
    enum Step: CustomStringConvertible {
        case perform(LifecycleTrigger)
        /// The launch of a service that was paused when its last run ended.
        case launchPaused
        /// A reload whose configuration cannot be read.
        case refusedReload
        /// A post of each name that the listener declared and that can be posted.
        case posts

        var description: String {
            switch self {
            case .perform(let trigger): trigger.rawValue
            case .launchPaused: "launch into the background"
            case .refusedReload: "refused reload"
            case .posts: "posts"
            }
        }
    }

    static let steps: [Step] = [
        .perform(.launch), .posts, .perform(.pause), .posts, .perform(.resume), .perform(.interrupt), .perform(.resume),
        .perform(.reload), .refusedReload, .perform(.pause), .perform(.suspend), .perform(.endSuspension),
        .perform(.endSuspension), .perform(.stop), .posts,
    ]
    static let pausedSteps: [Step] = [.launchPaused, .posts, .perform(.resume), .perform(.pause), .perform(.stop)]

    private let stage: ConformanceStage

    init(_ stage: ConformanceStage) { self.stage = stage }

    /// Runs a step to its end.
    ///
    /// - Returns: whether there are no failures.
    func run(_ step: Step) async -> Bool {
        for begin in begun(by: step) {
            let ended = Ended()
            begin { ended.isSet = true }
            while !ended.isSet {
                let reports = stage.reports
                let deadline = stage.shortestDeadline
                if await moves({ ended.isSet || self.stage.reports > reports }, within: deadline) { continue }
                stage.clock.advance(by: deadline)
            }
        }
        return stage.failures.isEmpty
    }

    /// Begins a step without waiting for its end.
    func begin(_ step: Step) async {
        for begin in begun(by: step) { begin {} }
        await ConformanceStage.turns()
    }

    /// Lets nine tenths of the deadline pass by the manual clock, then real time.
    private func moves(_ condition: () -> Bool, within deadline: Duration) async -> Bool {
        for _ in 0..<9 {
            await ConformanceStage.turns()
            if condition() { return true }
            stage.clock.advance(by: deadline / 10)
        }
        return await stage.wait(until: condition)
    }

    private final class Ended { var isSet = false }
    private typealias Begin = (_ completion: @escaping () -> Void) -> Void

    private func begun(by step: Step) -> [Begin] {
        let mediator = stage.mediator
        stage.isReadable = true
        switch step {
        case .perform(let trigger):
            let info = trigger == .launch ? launchInfo : Self.userInfo(trigger)
            return [{ done in mediator.perform(trigger, userInfo: info) { _ in done() } }]
        case .launchPaused:
            let info = launchInfo.merging(["paused": true]) { $1 }
            return [{ done in mediator.perform(.launch, userInfo: info) { _ in done() } }]
        case .refusedReload:
            stage.isReadable = false
            return [{ done in mediator.perform(.reload) { _ in done() } }]
        case .posts:
            let given = stage.check.userInfo
            return stage.posted.map { name in
                { done in
                    mediator.post(name, userInfo: given[name] ?? Self.userInfo(name)) { _ in done() }
                }
            }
                + stage.actions.map { action in
                    { done in
                        mediator.post(.performAction, userInfo: ["action": .string(action)]) { _ in done() }
                    }
                }
        }
    }

    private var launchInfo: UserInfo { stage.check.userInfo[.didFinishLaunching] ?? [:] }

    private static func userInfo(_ trigger: LifecycleTrigger) -> UserInfo {
        switch trigger {
        case .endSuspension: Suspension(.freezer, duration: .seconds(3)).userInfo
        case .stop: Termination(.stop).userInfo
        default: [:]
        }
    }

    private static func userInfo(_ name: LifecycleNotification.Name) -> UserInfo {
        switch name {
        case .didReceiveMemoryWarning: MemoryWarning(.full).userInfo
        case .openURL: ["url": "belfry:conformance"]
        case .didReceiveNotification: ["name": "belfry.conformance", "userInfo": [:]]
        default: [:]
        }
    }
}

/// A mediator with the listener under test, and the failures so far.
final class ConformanceStage {
    let check: ListenerConformance
    let clock = ManualClock()
    let mediator: LifecycleMediator
    /// Whether a reload can read the configuration.
    var isReadable: Bool {
        get { source.read == nil }
        set { source.read = newValue ? nil : { throw LifecycleRefusal("unreadable") } }
    }
    private let source = ReloadSource()
    private(set) var failures: [String] = []
    private(set) var reports = 0
    private weak var listener: (any LifecycleListener)?
    private var observation: LifecycleObservation?
    private var name = ""

    init(
        _ check: ListenerConformance,
        deadlines: LifecycleDeadlines = LifecycleDeadlines(stop: .seconds(86400), transition: .seconds(86400))
    ) {
        self.check = check
        mediator = source.mediator(clock: clock, configuration: check.configuration, deadlines: deadlines)
        observation = mediator.addEventObserver(for: .delivered) { [unowned self] in
            if case .delivered(let report) = $0 { note(report) }
        }
    }

    /// Observes the listener without retaining it.
    func watch(_ listener: (any LifecycleListener)?) {
        self.listener = listener
        name = listener?.name ?? ""
    }

    /// Moves the listener into the mediator, so that nothing else retains it.
    func add(_ listener: inout (any LifecycleListener)?) throws {
        if let listener { try mediator.addListener(listener) }
        listener = nil
    }

    func remove() {
        if let listener { mediator.removeListener(listener) }
    }

    /// The declared names that can be posted.
    var posted: [LifecycleNotification.Name] {
        let names = listener?.answers.filter { $0.action == nil }.map(\.name) ?? []
        return names.filter { !$0.isTransition }
    }

    /// The offered actions.
    var actions: [String] { listener?.answers.compactMap { $0.action?.id } ?? [] }

    /// The shortest deadline of the answers.
    var shortestDeadline: Duration {
        listener?.answers.map { $0.deadline ?? mediator.deadlines.listener }.min() ?? mediator.deadlines.listener
    }

    /// The failure of a listener that is still retained after its removal.
    func leak() async -> [String] {
        await wait { self.listener == nil } ? [] : ["is gone when it was removed: something still holds '\(name)'"]
    }

    /// Waits in real time, up to the timeout of the check.
    func wait(until condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + check.timeout
        var rounds = 0
        while !condition() {
            // On a busy machine the time may pass before other work of the main actor had a turn.
            guard rounds < 20 || ContinuousClock.now < end else { return false }
            rounds += 1
            await Self.turns()
            if !condition() { try? await Task.sleep(for: .milliseconds(1)) }
        }
        return true
    }

    /// Gives other work of the main actor some turns.
    static func turns() async { for _ in 0..<20 { await Task.yield() } }

    private func note(_ report: LifecycleReport) {
        reports += 1
        // The check of cancellation gives no time to anybody.
        guard mediator.deadlines.listener > .zero else { return }
        for answer in report.listeners where answer.listener == name {
            let told = report.notification.name
            switch answer.outcome {
            case .overran, .late: failures.append("answers within its deadline: no answer to '\(told)'")
            case .failed(let reason): failures.append("answers what it declared: '\(told)' failed: \(reason)")
            case .refused(let reason): failures.append("answers what it declared: '\(told)' refused: \(reason)")
            case .completed, .fetched, .handled, .declined: break
            }
        }
    }
}
