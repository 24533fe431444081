// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// The places of listeners that are added and removed.
struct ListenerRegistryTests {
    let fixture = MediatorFixture()
    private var order: [String] { fixture.mediator.listeners.map(\.name) }

    private func add(_ listeners: PlacedListener...) throws {
        for listener in listeners { try fixture.mediator.addListener(listener) }
    }

    @Test func listenerNamesAreUnique() throws {
        try add(PlacedListener("a"))

        #expect(throws: ListenerOrderError.duplicate("a")) { try add(PlacedListener("a")) }
        #expect("\(ListenerOrderError.duplicate("a"))" == "there is a listener of this name already: a")
        #expect(order == ["a"])
    }

    @Test func namesAreComparedAsBytes() throws {
        try add(PlacedListener("é"), PlacedListener("e\u{301}"))

        #expect(fixture.mediator.listeners.count == 2)
    }

    @Test func followedListenerMayNotFollowItsFollowers() throws {
        try add(PlacedListener("a", follows: ["b"]), PlacedListener("b", follows: ["c"]))

        #expect(throws: ListenerOrderError.cycle(["a", "b", "c"])) { try add(PlacedListener("c", follows: ["a"])) }
        #expect(throws: ListenerOrderError.cycle(["c"])) { try add(PlacedListener("c", follows: ["c"])) }
        try add(PlacedListener("c"))
        #expect(order == ["c", "b", "a"])
    }

    @Test func unknownFollowedNamesAreListed() throws {
        try add(PlacedListener("a", follows: ["b", "misspelt"]), PlacedListener("b"))

        #expect(fixture.mediator.unknownFollowed.map { "\($0.listener) \($0.name)" } == ["a misspelt"])
    }

    @Test func twoAnswersToOneNotificationOrActionAreRefused() throws {
        let twice = ClosureListener("twice") { listener in
            listener.on(.didReload) { _ in }
            listener.on(.flushRequested) { _ in }
            listener.on(.didReload) { _ in }
        }
        let actions = ClosureListener("actions") { listener in
            listener.onAction("rotate", title: "") { _ in }
            listener.onAction("rotate", title: "") { _ in }
        }
        func add(_ listener: some LifecycleListener) throws { try fixture.mediator.addListener(listener) }

        #expect(throws: ListenerOrderError.answers(listener: "twice", to: "didReload")) { try add(twice) }
        #expect(throws: ListenerOrderError.answers(listener: "actions", to: "rotate")) { try add(actions) }
        #expect(order.isEmpty)
    }

    /// An answer may be the last owner of what calls the mediator when it is released.
    @Test(arguments: [false, true]) func answersThatAreReplacedAreReleasedLast(areLasting: Bool) throws {
        final class Parting {
            let body: () -> Void
            init(_ body: @escaping () -> Void) { self.body = body }
            isolated deinit { body() }
        }
        var posts = 0
        var parting: Parting? = Parting { [mediator = fixture.mediator] in
            posts += 1
            mediator.post(.flushRequested)
        }
        let listener = ClosureListener("parting") { listener in
            let held = parting
            if areLasting {
                listener.on(.flushRequested) { _ async in _ = held }
            } else {
                listener.on(.flushRequested) { _ in _ = held }
            }
        }
        try fixture.mediator.addListener(listener)
        if !areLasting { fixture.mediator.post(.flushRequested) }
        parting = nil

        try fixture.mediator.updateAnswers(of: listener)

        #expect(posts == 1)
    }

    @Test func answersWithADuplicateDoNotReplaceThePresentOnes() throws {
        let updated = UpdatedListener()
        try fixture.mediator.addListener(updated)

        updated.count = 2
        #expect(throws: ListenerOrderError.self) { try fixture.mediator.updateAnswers(of: updated) }
        fixture.mediator.post(.flushRequested)

        #expect(updated.calls == 1)
    }
}

/// Ten times as many listeners or tasks take about ten times the processor time, not a hundred times. Only a listener that others
/// follow before it exists is compared with all others when it is added.
@Suite(.timeLimit(.minutes(2)))
struct ListenerScaleTests {
    /// How each listener declares its place.
    nonisolated enum Shape: String, CaseIterable, Sendable { case plain, rank, chain, allFollowOne }

    private let one = LifecycleNotification.Name("com.example.one")

    private func listener(_ index: Int, _ shape: Shape) -> PlacedListener {
        switch shape {
        case .plain: PlacedListener("l\(index)")
        case .rank: PlacedListener("l\(index)", rank: 1)
        case .chain: PlacedListener("l\(index)", follows: ["l\(index - 1)"])
        case .allFollowOne: PlacedListener("l\(index)", follows: index > 0 ? ["l0"] : [])
        }
    }

    private func life(of count: Int, _ shape: Shape) throws -> Double {
        let fixture = MediatorFixture(deadlines: LifecycleDeadlines(stop: .seconds(1)))
        let listeners = (0..<count).map { listener($0, shape) }
        let began = Self.processorTime()
        for listener in listeners { try fixture.mediator.addListener(listener) }
        fixture.perform(.launch)
        if let one { fixture.mediator.post(one) }
        fixture.perform(.interrupt, .resume)
        for listener in listeners { fixture.mediator.removeListener(listener) }
        return Self.processorTime() - began
    }

    @Test(arguments: Shape.allCases)
    func addingCallingAndRemovingListenersIsLinear(shape: Shape) throws {
        _ = try life(of: 100, shape)
        let few = try (0..<3).map { _ in try life(of: 300, shape) }.min() ?? 0

        let many = try life(of: 3_000, shape)

        #expect(many < 30 * few, "300: \(few) s, 3,000: \(many) s")
    }

    @Test func tasksBeginAndEndInLinearTime() {
        let life = { (count: Int) in
            let fixture = MediatorFixture()
            let began = Self.processorTime()
            let tasks = (0..<count).map {
                fixture.mediator.beginBackgroundTask(named: "\($0)", deadline: .seconds(9))
            }
            for task in tasks { task.end() }
            return Self.processorTime() - began
        }
        _ = life(100)
        let few = (0..<3).map { _ in life(1_000) }.min() ?? 0

        let many = life(10_000)

        #expect(many < 30 * few, "1,000: \(few) s, 10,000: \(many) s")
    }

    /// The processor time of the process, in seconds (clock(3)).
    private static func processorTime() -> Double { Double(clock()) / 1e6 }
}

/// A listener with a declared place, and with immediate and other answers.
final class PlacedListener: LifecycleListener {
    let name: String
    let rank: Int?
    let follows: [String]

    init(_ name: String, rank: Int? = nil, follows: [String] = []) {
        self.name = name
        self.rank = rank
        self.follows = follows
    }

    var answers: [LifecycleAnswer] {
        if let one = LifecycleNotification.Name("com.example.one") { on(one) { _ in } }
        onCompletion(.willResignActive) { _, completion in
            completion(.success(()))
            return {}
        }
        if let own = LifecycleNotification.Name("com.example.\(name)") { on(own) { _ in } }
    }
}

/// Declares its only answer `count` times.
private final class UpdatedListener: LifecycleListener {
    var count = 1
    var calls = 0

    var answers: [LifecycleAnswer] {
        for _ in 0..<count {
            on(.flushRequested) { [self] _ in calls += 1 }
        }
    }
}
