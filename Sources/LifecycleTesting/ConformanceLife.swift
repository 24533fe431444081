// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// A whole life, step by step.
final class ConformanceLife {
    /// What happens to the service.
    enum Step: CustomStringConvertible {
        case perform(LifecycleTrigger)
        /// A reload that another listener refuses when it is told of this.
        case refusedReload(LifecycleNotification.Name)
        /// Everything that is posted and that the listener declared.
        case posts

        var description: String {
            switch self {
            case .perform(let trigger): trigger.rawValue
            case .refusedReload(let name): "reload refused in \(name)"
            case .posts: "posts"
            }
        }
    }

    static let steps: [Step] = [
        .perform(.launch), .posts, .perform(.pause), .posts, .perform(.resume), .perform(.interrupt), .perform(.resume),
        .perform(.reload), .refusedReload(.willReload), .refusedReload(.didReload), .perform(.pause),
        .perform(.suspend), .perform(.endSuspension), .perform(.endSuspension), .perform(.stop), .posts,
    ]

    private let stage: ConformanceStage

    init(_ stage: ConformanceStage) {
        self.stage = stage
        // It is the first that the mediator has, and its name is nobody else's.
        try? stage.mediator.addListener(stage.refuser)
    }

    /// Takes a step to its end.
    ///
    /// - Returns: whether nothing has gone wrong.
    func take(_ step: Step) async -> Bool {
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

    /// Takes a step and waits for nobody.
    func takeAtOnce(_ step: Step) async {
        for begin in begun(by: step) { begin {} }
        await ConformanceStage.turns()
    }

    /// Nine tenths of the deadline pass by the manual clock; after that, only real time may do it.
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
        stage.refuser.refused = nil
        switch step {
        case .perform(let trigger):
            let info = stage.check.userInfo[.didFinishLaunching].flatMap { trigger == .launch ? $0 : nil }
            return [{ done in mediator.perform(trigger, userInfo: info ?? Self.userInfo(trigger)) { _ in done() } }]
        case .refusedReload(let name):
            stage.refuser.refused = name
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

    private static func userInfo(_ trigger: LifecycleTrigger) -> UserInfo {
        switch trigger {
        case .endSuspension: Suspension(.signal, duration: .seconds(3), isExact: true).userInfo
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
