// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// Listeners and observers that post what leads to their next call.
@Suite(.timeLimit(.minutes(1)))
struct EndlessPostsTests {
    let fixture = MediatorFixture()
    let ping = LifecycleNotification.Name("com.example.ping")!
    let pong = LifecycleNotification.Name("com.example.pong")!

    /// The listeners that failed, each with the notification.
    private func failures(_ work: () -> Void) -> [String] {
        var failures: [String] = []
        let observation = fixture.mediator.addEventObserver(for: .listenerFailed) {
            guard case .listenerFailed(let report, let notification) = $0 else { return }
            failures.append("\(report.listener) at \(notification.name): \(report.outcome.reason ?? "")")
        }
        defer { observation.cancel() }
        work()
        return failures
    }

    private let reason = "it posts what leads to its next call, 16 calls are within each other"

    @Test(arguments: [1, 2]) func listenerThatPostsWhatItAnswersIsRefused(times: Int) throws {
        let mediator = fixture.mediator
        var calls = 0
        try mediator.addListener(
            ClosureListener("echo") {
                $0.on(ping) { _ in
                    calls += 1
                    for _ in 0..<times { mediator.post(ping) }
                }
            })

        let failed = failures { mediator.post(ping) }

        #expect(calls == 16)
        #expect(failed.count == 1 + 16 * (times - 1))
        #expect(failed.first == "echo at com.example.ping: \(reason)")

        // The next post is delivered again.
        mediator.post(ping)
        #expect(calls == 32)
    }

    @Test func listenerWhoseAnswerMayLastIsRefusedToo() throws {
        let mediator = fixture.mediator
        var calls = 0
        try mediator.addListener(
            ClosureListener("echo") {
                $0.on(ping, deadline: .seconds(1)) { _ in
                    calls += 1
                    await mediator.post(ping)
                }
            })

        let failed = failures { mediator.post(ping) }

        #expect(calls == 16)
        #expect(failed == ["echo at com.example.ping: \(reason)"])
    }

    @Test func listenersThatAnswerEachOtherAreRefused() throws {
        let mediator = fixture.mediator
        var calls: [String] = []
        for (name, asked, posted) in [("white", ping, pong), ("black", pong, ping)] {
            try mediator.addListener(
                ClosureListener(name) {
                    $0.on(asked) { _ in
                        calls.append(name)
                        mediator.post(posted)
                    }
                })
        }

        let failed = failures { mediator.post(ping) }

        #expect(calls.count == 32)
        #expect(failed == ["white at com.example.ping: \(reason)"])
    }

    @Test(arguments: [true, false]) func observerThatPostsWhatItObservesIsRefused(isOfOneName: Bool) {
        let mediator = fixture.mediator
        var numbers: [UInt64] = []
        let observation = mediator.addObserver(forName: isOfOneName ? ping : nil) { _ in
            let number = mediator.post(ping)
            numbers.append(number)
        }
        defer { observation.cancel() }
        var problems: [String] = []

        let failed = failures { mediator.post(ping) { problems = $0.problems } }

        // The innermost post has no number, and the next one leaves no gap.
        #expect(numbers == [0] + (2...16).reversed())
        #expect(failed == ["observer of com.example.ping at com.example.ping: \(reason)"])
        #expect(problems.isEmpty)
        #expect(mediator.lastSequence == 16)
    }

    @Test func transitionWithinTheInnermostCallLeavesPostsEndless() {
        let mediator = fixture.mediator
        fixture.perform(.launch)
        var calls = 0
        let observation = mediator.addObserver { _ in
            calls += 1
            if calls == 16 { mediator.perform(.interrupt) } else { mediator.post(ping) }
        }
        defer { observation.cancel() }

        let failed = failures { mediator.post(ping) }

        #expect(calls == 17)
        #expect(failed == ["observer of com.example.ping at com.example.ping: \(reason)"])
    }

    @Test func observerOfEventsThatPostsWhatLeadsToTheNextOneIsNotToldWithoutEnd() throws {
        let mediator = fixture.mediator
        try mediator.addListener(ClosureListener("broken") { $0.on(ping) { _ in throw LifecycleRefusal("no") } })
        var calls = 0
        let observation = mediator.addEventObserver(for: .listenerFailed) { _ in
            calls += 1
            mediator.post(ping)
        }
        defer { observation.cancel() }

        mediator.post(ping)
        #expect(calls == 16)

        mediator.post(ping)
        #expect(calls == 32)
    }

    @Test func alarmThatIsRefusedAsEndlessRaisesNoAlarmsWithoutEnd() {
        let mediator = fixture.mediator
        var alarms = 0
        let observations = [
            mediator.addObserver { _ in mediator.post(ping) },
            mediator.addEventObserver(for: .listenerFailed) { _ in
                alarms += 1
                mediator.post(pong)
            },
        ]
        defer { for observation in observations { observation.cancel() } }

        mediator.post(ping)

        #expect(alarms == 16)
    }

    @Test func manyPostsOneAfterTheOtherAreNoEndlessOnes() throws {
        let mediator = fixture.mediator
        var calls = 0
        try mediator.addListener(ClosureListener("counter") { $0.on(ping) { _ in calls += 1 } })
        func post(_ left: Int) {
            guard left > 0 else { return }
            mediator.post(ping) { _ in post(left - 1) }
        }

        let failed = failures { post(100) }

        #expect(calls == 100 && failed.isEmpty)
    }
}
