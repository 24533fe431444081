// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StartupSequenceTests {
    /// A command made of a closure.
    struct Step: StartupCommand {
        let name: String
        var deadline: Duration = .seconds(1)
        var isRequired = true
        // Isolated for the sake of the default: a nonisolated body runs on another thread, unless it is optimized away.
        var body: @MainActor () async throws -> Void = {}
        var undoing: @MainActor () async throws -> Void = {}

        func run(_ options: LaunchOptions) async throws { try await body() }
        func undo() async throws { try await undoing() }
    }

    /// What was undone, in order.
    final class Undone {
        var names: [String] = []

        func step(
            _ name: String, isRequired: Bool = true, body: @escaping @MainActor () async throws -> Void = {}
        ) -> Step {
            Step(name: name, isRequired: isRequired, body: body) { [self] in names.append(name) }
        }
    }

    struct Broken: Error, CustomStringConvertible { let description = "disk is full" }

    let fixture = MediatorFixture()

    private func add(_ steps: Step...) throws -> StartupSequence {
        let sequence = StartupSequence(clock: fixture.clock, steps)
        try fixture.mediator.addListener(sequence)
        return sequence
    }

    /// Ends only when its task is cancelled.
    private static func hang() async { for await _ in AsyncStream<Never>.makeStream().stream {} }

    @Test func commandsRunInOrderAndAreTimed() throws {
        let clock = fixture.clock
        let sequence = try add(
            Step(name: "store") { clock.block(for: .milliseconds(30)) },
            Step(name: "cache") { clock.block(for: .milliseconds(12)) })

        fixture.perform(.launch)

        #expect(sequence.times.map(\.command) == ["store", "cache"])
        #expect(sequence.times.map(\.duration) == [.milliseconds(30), .milliseconds(12)])
        #expect(fixture.ended.map(\.result) == [.completed])
    }

    @Test func requiredFailureRefusesTheLaunchByNameAndEndsTheSequence() throws {
        let sequence = try add(Step(name: "store") { throw Broken() }, Step(name: "cache"))

        fixture.perform(.launch)

        #expect(fixture.ended.map(\.result) == [.refused(["startup: store: disk is full"])])
        #expect(sequence.times.map(\.command) == ["store"])
        #expect(fixture.mediator.state == .notRunning)
    }

    @Test(arguments: ["disk is full", "not today"])
    func optionalFailureIsReportedAndTheLaunchContinues(reason: String) throws {
        let sequence = try add(
            Step(name: "cache", isRequired: false) {
                throw reason == "not today" ? LifecycleRefusal(reason) : Broken()
            },
            Step(name: "listen"))

        fixture.perform(.launch)

        #expect(fixture.ended.map(\.result) == [.completed])
        #expect(fixture.ended.flatMap(\.notifications).flatMap(\.problems) == ["startup: cache: \(reason)"])
        #expect(sequence.times.map(\.command) == ["cache", "listen"])
    }

    @Test func hangingCommandOverrunsAtItsDeadline() throws {
        let sequence = try add(
            Step(name: "peer", deadline: .seconds(2), isRequired: false, body: Self.hang),
            Step(name: "store", deadline: .seconds(3), body: Self.hang), Step(name: "listen"))
        fixture.perform(.launch)

        fixture.clock.advance(by: .seconds(5))

        let reason = "startup: peer: not done within its deadline; store: not done within its deadline"
        #expect(fixture.ended.map(\.result) == [.refused([reason])])
        #expect(sequence.times.map(\.duration) == [.seconds(2), .seconds(3)])
        #expect(fixture.mediator.listeners.map(\.deadline) == [.seconds(12)])
    }

    @Test func completedCommandsAreUndoneInReverseBeforeTheLaunchIsRefused() throws {
        let undone = Undone()
        let sequence = try add(
            undone.step("store"), Step(name: "socket", undoing: { throw Broken() }),
            undone.step("cache", isRequired: false) { throw Broken() }, undone.step("lock"),
            undone.step("peers") { throw LifecycleRefusal("nobody there") }, undone.step("late"))

        fixture.perform(.launch)

        #expect(undone.names == ["lock", "store"])
        let reason = "startup: cache: disk is full; peers: nobody there; undo of socket: disk is full"
        #expect(fixture.ended.map(\.result) == [.refused([reason])])
        #expect(sequence.times.map(\.command) == ["store", "socket", "cache", "lock", "peers"])
    }

    @Test func commandThatIsLateIsUndoneToo() throws {
        let undone = Undone()
        let sequence = try add(
            undone.step("store"), undone.step("slow") { [clock = fixture.clock] in clock.block(for: .seconds(11)) })

        fixture.perform(.launch)

        #expect(undone.names == ["slow", "store"] && sequence.times.map(\.outcome) == [.completed, .late])
        #expect(fixture.ended.map(\.result) == [.refused(["startup: slow: done after its deadline"])])
    }

    @Test func undoThatHangsEndsAtTheDeadlineOfItsCommand() throws {
        let undone = Undone()
        _ = try add(
            undone.step("store"), Step(name: "socket", deadline: .seconds(2), undoing: Self.hang),
            Step(name: "peers", body: { throw Broken() }))
        fixture.perform(.launch)
        #expect(undone.names.isEmpty && fixture.ended.isEmpty)

        fixture.clock.advance(by: .seconds(2))

        #expect(undone.names == ["store"])
        let reason = "startup: peers: disk is full; undo of socket: not done within its deadline"
        #expect(fixture.ended.map(\.result) == [.refused([reason])])
    }

    @Test func launchThatSucceedsUndoesNothing() throws {
        let undone = Undone()
        _ = try add(undone.step("store"), Step(name: "socket"))

        fixture.perform(.launch, .stop)

        #expect(undone.names.isEmpty && fixture.ended.map(\.result) == [.completed, .completed])
    }

    @Test func noCommandBeginsAfterTheWholeSequenceIsOutOfTime() throws {
        fixture.mediator.deadlines.start = .seconds(1)
        let sequence = try add(Step(name: "store", deadline: .seconds(3), body: Self.hang), Step(name: "listen"))
        fixture.perform(.launch)

        fixture.clock.advance(by: .seconds(1))

        #expect(sequence.times.map(\.command) == ["store"])
        #expect(fixture.ended.map(\.result) == [.refused(["startup: store: not done within its deadline"])])
    }

    @Test func stopDuringTheLaunchIsNoRefusal() throws {
        fixture.mediator.deadlines.stop = .seconds(2)
        let sequence = try add(Step(name: "store", deadline: .seconds(3), body: Self.hang))
        fixture.perform(.launch, .stop)

        fixture.clock.advance(by: .seconds(1))

        #expect(sequence.times.map(\.outcome) == [.overran])
        #expect(fixture.ended.map(\.result) == [.overtaken, .completed])
    }

    @Test func secondStopLeavesNoTimeToUndo() throws {
        let undone = Undone()
        let sequence = try add(undone.step("lock"), Step(name: "store", body: Self.hang), Step(name: "listen"))

        fixture.perform(.launch, .stop, .stop)

        #expect(sequence.times.map(\.command) == ["lock", "store"])
        #expect(undone.names.isEmpty && fixture.mediator.state == .notRunning)
    }
}
