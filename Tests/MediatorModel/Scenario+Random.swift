// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import TestSupport

nonisolated extension Scenario {
    /// The scenario of a seed.
    package init(seed: UInt64) {
        var maker = ScenarioMaker(seed: seed)
        self = maker.scenario()
    }
}

/// Makes a random scenario.
nonisolated struct ScenarioMaker {
    private static let posted =
        ["x.a", "x.b"].compactMap { LifecycleNotification.Name($0) }
        + [.flushRequested, .willSleep, .performFetch, .openURL, .performAction]
    private static let owed: [LifecycleNotification.Name] = LifecycleNotification.Name.catalogue.filter(\.isTransition)
    private static let tasks = 3

    private let seed: UInt64
    private var random: SeededRandom
    private var lastID = 0
    private var listeners = 0
    private var observers = 0

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
    }

    mutating func scenario() -> Scenario {
        listeners = number(1...5)
        observers = number(0...3)
        let deadlines = deadlines()
        let planned = (0..<listeners).map { listener($0) }
        let watching = (0..<observers).map { _ in
            Scenario.Observer(
                name: chance(40) ? nil : pick(Self.posted + Self.owed), reactions: (0..<4).map { _ in reactions(15) })
        }
        let first = (0..<listeners).filter { _ in chance(80) }.map { Scenario.Step.add($0) }
        let seen = (0..<observers).filter { _ in chance(70) }.map { Scenario.Step.observe($0) }
        let launch = chance(90) ? [Scenario.Step.perform(.launch, id: id(), count: nil, then: [])] : []
        return Scenario(
            seed: seed, deadlines: deadlines, hasReportObserver: chance(70), reloads: (0..<4).map { _ in chance(75) },
            isPaused: chance(15), listeners: planned, observers: watching,
            steps: first + seen + launch + (0..<number(4...16)).map { _ in top() })
    }

    private mutating func deadlines() -> LifecycleDeadlines {
        LifecycleDeadlines(
            listener: .seconds(number(1...10)), start: .seconds(number(5...30)), stop: .seconds(number(0...25)),
            stopExtensionMax: number(1...3), transition: .seconds(number(5...30)))
    }

    private mutating func listener(_ index: Int) -> Scenario.Listener {
        let follows = (0..<listeners).filter { $0 != index && chance($0 < index ? 15 : 4) }.map { "L\($0)" }
        return Scenario.Listener(
            name: "L\(index)", rank: chance(30) ? number(0...1) : nil, follows: follows, isPrimary: chance(10),
            answers: (0..<2).map { _ in answers() }, behaviours: (0..<10).map { _ in behaviour() })
    }

    private mutating func answers() -> [Scenario.Answer] {
        let density = number(20...90)
        return (Self.owed + Self.posted).filter { _ in chance(density) }.map { name in
            Scenario.Answer(
                name: name, kind: pick([.immediate, .suspending, .completing]),
                deadline: chance(40) ? .milliseconds(number(0...40) * 500) : nil, action: pick(["a", "b"]))
        }
    }

    private mutating func behaviour() -> Scenario.Behaviour {
        let end: Scenario.End
        switch number(0...19) {
        case 0: end = .throwing
        case 1: end = .refusing
        case 2...6: end = .hanging(stubborn: chance(40), elsewhere: chance(30))
        default: end = .returning(number(0...2))
        }
        return Scenario.Behaviour(before: reactions(25), end: end, after: reactions(20))
    }

    /// The reaction to a call: nothing, most of the time.
    private mutating func reactions(_ percent: Int, depth: Int = 2) -> [Scenario.Step] {
        guard depth > 0, chance(percent) else { return [] }
        return (0..<number(1...2)).map { _ in step(depth: depth) }
    }

    /// Something that can happen from anywhere.
    private mutating func step(depth: Int) -> Scenario.Step {
        switch number(0...22) {
        case 0...5:
            .perform(
                trigger(), id: id(), count: chance(20) ? number(2...9) : nil, then: reactions(15, depth: depth - 1))
        case 6...10:
            .post(
                pick(Self.posted), action: pick(["a", "b", "c"]), id: chance(60) ? id() : nil,
                then: reactions(15, depth: depth - 1))
        case 11...12: .add(number(0...listeners - 1))
        case 13...14: .remove(number(0...listeners - 1))
        case 15: .update(number(0...listeners - 1))
        case 16: observers > 0 ? .observe(number(0...observers - 1)) : .add(0)
        case 17: observers > 0 ? .ignore(number(0...observers - 1)) : .add(0)
        case 18:
            .beginTask(
                number(0...Self.tasks - 1), .seconds(number(0...40)), expiration: reactions(40, depth: depth - 1))
        case 19...20: .block(.milliseconds(number(0...20) * 500))
        case 21: .retune(deadlines())
        default: .endTask(number(0...Self.tasks - 1))
        }
    }

    /// Something that can happen at the top only.
    private mutating func top() -> Scenario.Step {
        switch number(0...9) {
        case 0...1: .advance(.milliseconds(number(0...60) * 500))
        case 2...4: .resume(number(0...9), chance(70) ? .returning(number(0...2)) : chance(50) ? .throwing : .refusing)
        case 5: .dropTask(number(0...Self.tasks - 1))
        default: step(depth: 2)
        }
    }

    private mutating func trigger() -> LifecycleTrigger {
        pick([
            .launch, .pause, .pause, .resume, .resume, .continued, .interrupt, .reload, .reload, .suspend,
            .endSuspension,
            .stop, .stop, .refuseLaunch,
        ])
    }

    private mutating func id() -> Int {
        lastID += 1
        return lastID
    }

    private mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }
}
