// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LifecycleMediatorAsyncTests {
    let fixture = MediatorFixture()
    private let ping = LifecycleNotification.Name("com.example.ping")!

    @Test func postWaitsForItsListeners() async {
        let slow = fixture.listener("slow", [ping], .stubborn)
        fixture.listener("quick", [ping, Uploaded.name])
        let waiting = Task.immediate { await fixture.mediator.post(ping, userInfo: ["key": 7]) }
        slow.finish()

        let report = await waiting.value
        let typed = await fixture.mediator.post(Uploaded(path: "/a", bytes: 1))

        #expect(report.listeners.map(\.listener) == ["slow", "quick"] && report.notification.userInfo["key"] == 7)
        #expect(typed.listeners.map(\.listener) == ["quick"])
        #expect(Uploaded(userInfo: typed.notification.userInfo) == Uploaded(path: "/a", bytes: 1))
    }

    @Test func formsWithACompletionDoNotWait() async {
        let slow = fixture.listener("slow", [ping, .didBecomeActive], .stubborn)
        var reports: [LifecycleReport] = []

        let number = fixture.mediator.post(ping) { reports.append($0) }
        fixture.mediator.perform(.launch) { [fixture] in fixture.ended.append($0) }

        #expect(number == 1 && reports.isEmpty && fixture.mediator.isInTransition)
        slow.finish()
        await fixture.until { !fixture.ended.isEmpty }
    }

    @Test func cancelledPosterStillGetsTheReport() async {
        let slow = fixture.listener("slow", [ping], .stubborn)
        let waiting = Task.immediate { await fixture.mediator.post(ping) }

        waiting.cancel()
        slow.finish()

        #expect(await waiting.value.listeners.map(\.outcome) == [.completed])
    }

    @Test func performWaitsForTheEnd() async {
        let slow = fixture.listener("slow", [.didEnterBackground], .stubborn)
        await fixture.mediator.perform(.launch)
        let waiting = Task.immediate { await fixture.mediator.perform(.pause) }
        #expect(fixture.mediator.isInTransition)
        slow.finish()

        let report = await waiting.value

        #expect(report.trigger == .pause && report.result == .completed)
        #expect(fixture.mediator.state == .background)
    }

    @Test func sleepLastsByTheClock() async throws {
        var hasSlept = false
        let sleeping = Task.immediate {
            try await fixture.clock.sleep(for: .seconds(3))
            hasSlept = true
        }
        fixture.clock.advance(by: .seconds(2))
        await Task.yield()
        #expect(!hasSlept && fixture.clock.pendingTimers == 1)

        fixture.clock.advance(by: .seconds(1))

        try await sleeping.value
        #expect(hasSlept)
    }

    @Test func cancelledSleepLeavesNoTimer() async {
        let sleeping = Task.immediate { try await fixture.clock.sleep(for: .seconds(3)) }

        sleeping.cancel()

        await #expect(throws: CancellationError.self) { try await sleeping.value }
        #expect(fixture.clock.pendingTimers == 0)
    }

    @Test func backgroundTaskLastsAsLongAsItsWork() async throws {
        fixture.perform(.launch)
        var finish: (() -> Void)?
        let work = Task.immediate {
            try await fixture.mediator.withBackgroundTask("upload", deadline: .seconds(5)) { task in
                task.reportProgress("half")
                await withUnsafeContinuation { waiting in finish = { waiting.resume() } }
                return task.name
            }
        }
        fixture.perform(.pause)
        #expect(fixture.mediator.pending == ["upload"])

        finish?()

        #expect(try await work.value == "upload")
        await fixture.until { fixture.ended.count == 2 }
        #expect(fixture.mediator.state == .background)
    }

    @Test(arguments: [false, true])
    func workIsCancelledAtItsDeadlineAndWithItsTask(byTask: Bool) async throws {
        var begun: BackgroundTask?
        let work = Task.immediate {
            try await fixture.mediator.withBackgroundTask("upload", deadline: .seconds(5)) { task in
                begun = task
                while !Task.isCancelled { await Task.yield() }
                try Task.checkCancellation()
            }
        }

        if byTask { work.cancel() } else { fixture.clock.advance(by: .seconds(5)) }

        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(begun?.isEnded == true)
        #expect(fixture.mediator.plan(for: .stop).tasks.isEmpty)
    }

    @Test func errorOfTheWorkEndsTheBackgroundTask() async {
        await #expect(throws: LifecycleRefusal("no")) {
            try await fixture.mediator.withBackgroundTask("upload", deadline: .seconds(5)) { _ in
                throw LifecycleRefusal("no")
            }
        }

        #expect(fixture.mediator.plan(for: .stop).tasks.isEmpty)
    }
}
