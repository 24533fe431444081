// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// A stop during another transition.
@Suite(.timeLimit(.minutes(1)))
struct LateStopTests {
    let fixture = MediatorFixture(deadlines: LifecycleDeadlines(listener: .seconds(60), stop: .seconds(20)))

    @Test func timeOfAStopBeginsWithItsAcceptance() {
        let hanging = fixture.listener("hanging", [.willReload, .willTerminate], .stubborn)
        var deadlines: [Duration?] = []
        let observation = fixture.mediator.addObserver(of: Termination.self) { deadlines.append($0.deadline) }
        fixture.perform(.launch, .reload)
        fixture.clock.advance(by: .seconds(3))

        fixture.mediator.perform(.stop, userInfo: Termination(.stop).userInfo)
        fixture.clock.advance(by: .seconds(10))
        #expect(fixture.mediator.remainingTime == .seconds(10))
        fixture.clock.advance(by: .seconds(10))

        #expect(deadlines == [.seconds(10)])
        #expect(fixture.mediator.state == .notRunning)
        observation.cancel()
        hanging.finish()
    }

    @Test func launchUnderWayIsCancelledAtOnce() {
        let hanging = fixture.listener("hanging", [.didFinishLaunching], .stubborn)

        fixture.perform(.launch, .stop)

        #expect(fixture.ended.map(\.result) == [.overtaken, .completed])
        #expect(fixture.mediator.state == .notRunning)
        hanging.finish()
    }

    /// What a cancelled answer has not opened, a later listener cannot use.
    @Test func refusalOfALaterListenerRefusesNoCancelledLaunch() throws {
        let hanging = fixture.listener("store", [.didFinishLaunching], .stubborn)
        try fixture.mediator.addListener(
            ClosureListener("index") { $0.on(.didFinishLaunching) { _ in throw LifecycleRefusal("no store") } })

        fixture.perform(.launch, .stop)

        #expect(fixture.ended.map(\.result) == [.overtaken, .completed])
        hanging.finish()
    }

    @Test func newDeadlinesHoldForTheStopAndWhatIsBeforeIt() {
        let hanging = fixture.listener("hanging", [.willReload, .willTerminate], .stubborn)
        fixture.perform(.launch, .reload, .stop)
        fixture.clock.advance(by: .seconds(1))

        fixture.mediator.deadlines.stop = .seconds(6)

        #expect(fixture.mediator.remainingTime == .seconds(2))
        fixture.clock.advance(by: .seconds(2))
        #expect(fixture.mediator.remainingTime == .seconds(3))
        fixture.clock.advance(by: .seconds(3))
        #expect(fixture.mediator.state == .notRunning)
        hanging.finish()
    }
}

/// A stop during a transition with a listener that reports progress.
@Suite(.timeLimit(.minutes(1)))
struct LateStopProgressTests {
    let fixture = MediatorFixture(deadlines: LifecycleDeadlines(stop: .seconds(4), stopExtensionMax: 10))
    let slow: SlowListener

    init() {
        slow = fixture.slow(on: .willReload, deadline: .seconds(30))
        fixture.recordProgress()
        fixture.perform(.launch, .reload)
    }

    @Test func progressDelaysAStopThatKeepsItsPart() async {
        fixture.perform(.stop)
        for _ in 0..<20 {
            fixture.clock.advance(by: .seconds(1))
            slow.progress?.report(nextWithin: .seconds(2), "piece")
        }
        #expect(fixture.mediator.pending == ["slow"])
        let last = fixture.progress.last
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

    @Test func windowOfAReportSurvivesTheStop() {
        slow.progress?.report(nextWithin: .seconds(9), "piece")
        fixture.clock.advance(by: .seconds(1))

        fixture.perform(.stop)

        #expect(fixture.progress.map(\.trigger) == [.reload, .stop])
        #expect(fixture.progress.last?.isExtended == true && fixture.progress.last?.remaining == .seconds(10))
        fixture.clock.advance(by: .seconds(8) - .microseconds(1))
        #expect(fixture.mediator.pending == ["slow"])
        fixture.clock.advance(by: .microseconds(1))
        #expect(fixture.mediator.state == .notRunning)
        slow.finish()
    }

    /// Also if it has named its window before the stop, and its time before the stop is shorter than the half.
    @Test(arguments: [2, 3])
    func progressKeepsTheStopForAMultipleOfItsTime(factor: Int) {
        fixture.mediator.deadlines.stopExtensionMax = factor
        slow.progress?.report(nextWithin: .seconds(29))
        fixture.perform(.stop)

        for _ in 0..<30 {
            slow.progress?.report(nextWithin: .seconds(29))
            fixture.clock.advance(by: .seconds(1))
        }

        let duration = fixture.ended.dropFirst().first?.notifications.first?.listeners.first?.duration
        #expect(duration == .seconds(4 * factor - 2))
        #expect(fixture.mediator.state == .notRunning)
        slow.finish()
    }
}
