// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_listener
import BelfryEventLoop
import BelfryJSON
import TestSupport
import Testing

struct RunQueueTests {
    private var queue = RunQueue()
    private func run(_ name: String, _ tokens: [String], until deadline: UInt64 = 100) -> Run {
        Run(
            name: name, content: ["tokens": .array(tokens.map { .string($0) })], tokens: tokens,
            deadline: MonotonicInstant(microseconds: deadline))
    }

    private func at(_ time: UInt64) -> MonotonicInstant { MonotonicInstant(microseconds: time) }

    private var health: Run {
        Run(name: "", content: [:], tokens: [], deadline: at(100), isHealth: true)
    }

    @Test mutating func aRunOfHealthIsEndedForANotification() {
        #expect(queue.add(health) == [.start(health)])
        #expect(queue.add(run("a", ["1"])) == [.interrupt])
        #expect(queue.end(.interrupted, at: at(1)) == [.answer(health, .interrupted), .start(run("a", ["1"]))])
    }

    @Test mutating func aRunOfHealthThatIsDueDuringAnotherIsLeftOut() {
        _ = queue.add(run("a", ["1"]))

        #expect(queue.add(health) == [])
        #expect(queue.end(.succeeded(), at: at(1)) == [.answer(run("a", ["1"]), .succeeded())])
    }

    @Test mutating func aStopEndsARunOfHealth() {
        _ = queue.add(health)

        #expect(queue.stop() == [.interrupt])
        #expect(queue.end(.interrupted, at: at(1)).last == .finish)
    }

    @Test mutating func aSecondRunWaitsForTheFirst() {
        #expect(queue.add(run("a", ["1"])) == [.start(run("a", ["1"]))])
        #expect(queue.add(run("b", ["2"])) == [])
        #expect(
            queue.end(.succeeded(), at: at(1)) == [.answer(run("a", ["1"]), .succeeded()), .start(run("b", ["2"]))])
    }

    @Test mutating func waitingNotificationsOfOneNameAreMergedAndCounted() {
        _ = queue.add(run("a", ["1"]))
        for token in ["2", "3"] { _ = queue.add(run("a", [token], until: 100 + UInt64(token)!)) }
        _ = queue.add(run("b", ["4"]))

        let actions = queue.end(.failed("no"), at: at(1))

        var merged = run("a", ["3"], until: 103)
        merged.tokens = ["2", "3"]
        merged.count = 2
        #expect(actions == [.answer(run("a", ["1"]), .failed("no")), .start(merged)])
        #expect(queue.end(.succeeded(), at: at(2)).last == .start(run("b", ["4"])))
    }

    /// Of off, on, off the last run is off: whatever comes while a run lasts, the runs that follow are in the order of the last
    /// notification of each name, and have its content.
    @Test(arguments: 0..<200)
    mutating func theLastNotificationOfANameKeepsItsPlace(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        _ = queue.add(run("first", []))
        var last: [(name: String, token: String)] = []
        for token in 0..<Int.random(in: 1...12, using: &random) {
            let name = try #require(["on", "off", "dim", "willReload"].randomElement(using: &random))
            _ = queue.add(run(name, ["\(token)"]))
            last.removeAll { $0.name == name }
            last.append((name, "\(token)"))
        }

        var started: [(name: String, token: String)] = []
        while case .start(let next)? = queue.end(.succeeded(), at: at(1)).last {
            started.append((next.name, next.content["tokens"]?.arrayValue?.last?.stringValue ?? ""))
        }

        #expect(started.map(\.name) == last.map(\.name) && started.map(\.token) == last.map(\.token))
    }

    @Test mutating func whatHasWaitedPastItsDeadlineIsDropped() {
        _ = queue.add(run("a", ["1"], until: 50))
        _ = queue.add(run("b", ["2"], until: 60))
        _ = queue.add(run("c", ["3"], until: 70))

        let actions = queue.end(.succeeded(), at: at(60))

        #expect(actions.dropFirst() == [.drop(run("b", ["2"], until: 60), .late), .start(run("c", ["3"], until: 70))])
    }

    @Test mutating func afterADetachmentTheRunGoesOnAndNothingIsAnswered() {
        _ = queue.add(run("a", ["1"]))
        _ = queue.add(run("b", ["2"]))

        #expect(queue.detach() == [.drop(run("b", ["2"]), .detached)])

        var ended = run("a", ["1"])
        ended.tokens = []
        #expect(queue.end(.succeeded(), at: at(1)) == [.answer(ended, .succeeded())])
        #expect(queue.current == nil)
    }

    @Test mutating func aStopLetsTheRunEndAndRefusesTheRest() {
        _ = queue.add(run("a", ["1"]))
        _ = queue.add(run("b", ["2"]))
        let refused = RunResult.failed("the program is stopping")

        #expect(queue.stop() == [.answer(run("b", ["2"]), refused)])
        #expect(queue.add(run("c", ["3"])) == [.answer(run("c", ["3"]), refused)])
        #expect(queue.end(.succeeded(), at: at(1)) == [.answer(run("a", ["1"]), .succeeded()), .finish])
    }

    @Test mutating func aStopWithoutARunIsTheEnd() {
        #expect(queue.stop() == [.finish])
    }

    @Test mutating func aMergedRunOwesALimitedNumberOfAnswers() {
        for _ in 0...RunQueue.longest { _ = queue.add(run("a", ["1"])) }

        let reason = "more than \(RunQueue.longest) notifications wait"
        #expect(queue.add(run("a", ["2"])) == [.answer(run("a", ["2"]), .failed(reason))])
    }

    @Test func aRunThatIsEndedAtItsDeadlineIsLateForEveryNotification() {
        #expect(run("willReload", []).outcome(.overran("x")) == ("overran", "x"))
        #expect(run("willTerminate", []).outcome(.overran("x")) == ("overran", "x"))
    }

    @Test func whereAFailureIsIgnoredOnlyAnInterruptedRunDoesNotCount() {
        #expect(RunResult.failed("x").ignoringFailure == .succeeded())
        #expect(RunResult.overran("x").ignoringFailure == .succeeded())
        #expect(RunResult.interrupted.ignoringFailure == .interrupted)
    }

    @Test func failureRefusesAReloadAndIsAFailureElsewhere() {
        #expect(run("willReload", []).outcome(.failed("x")) == ("refused", "x"))
        #expect(run("didReload", []).outcome(.failed("x")) == ("failed", "x"))
        #expect(run("willReload", []).outcome(.succeeded()) == ("completed", nil))
    }
}
