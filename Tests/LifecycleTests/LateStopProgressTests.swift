// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// A stop that finds somebody at work who gets on.
@Suite(.timeLimit(.minutes(1)))
struct LateStopProgressTests {
    let fixture = MediatorFixture(deadlines: LifecycleDeadlines(stop: .seconds(4)))
    let slow = SlowListener("slow", on: .willReload, deadline: .seconds(30))
    let recorder = Recorder()

    final class Recorder { var progress: [LifecycleProgress] = [] }

    init() throws {
        try fixture.mediator.addListener(slow)
        fixture.mediator.addProgressObserver { [recorder] in recorder.progress.append($0) }
        fixture.perform(.launch, .reload)
    }

    @Test func whoGetsOnHoldsTheStopAndTheStopKeepsItsPart() async {
        fixture.perform(.stop)
        for _ in 0..<20 {
            fixture.clock.advance(by: .seconds(1))
            slow.progress?.report(nextWithin: .seconds(2), "piece")
        }
        #expect(fixture.mediator.awaited == ["slow"])
        let last = recorder.progress.last
        #expect(last?.trigger == .stop && last?.isExtended == true)
        // Two seconds of its own, and the half of the stop.
        #expect(last?.remaining == .seconds(4) && last?.window == .seconds(2))
        let hanging = fixture.listener("hanging", [.willTerminate], .stubborn)
        slow.finish()
        await fixture.until { !hanging.received.isEmpty }

        #expect(fixture.mediator.remainingTime == .seconds(4))
        #expect(fixture.ended.map(\.result) == [.completed, .completed])
        fixture.clock.advance(by: .seconds(4))
        #expect(fixture.mediator.state == .notRunning)
        hanging.finish()
    }

    @Test func whoSaidWhenItReportsAgainIsExpectedThen() {
        slow.progress?.report(nextWithin: .seconds(9), "piece")
        fixture.clock.advance(by: .seconds(1))

        fixture.perform(.stop)

        #expect(recorder.progress.map(\.trigger) == [.reload, .stop])
        #expect(recorder.progress.last?.isExtended == true && recorder.progress.last?.remaining == .seconds(10))
        fixture.clock.advance(by: .seconds(8) - .microseconds(1))
        #expect(fixture.mediator.awaited == ["slow"])
        fixture.clock.advance(by: .microseconds(1))
        #expect(fixture.mediator.state == .notRunning)
        slow.finish()
    }

    @Test func reportWithinTheHalfAsksForNothing() {
        fixture.perform(.stop)
        slow.progress?.report(nextWithin: .seconds(1))

        #expect(recorder.progress.map(\.isExtended) == [false])
        fixture.clock.advance(by: .seconds(2))
        #expect(fixture.mediator.state == .notRunning)
        slow.finish()
    }
}
