// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReloadTests {
    let fixture = MediatorFixture()

    init() {
        var next = 0
        fixture.readConfiguration = {
            next += 1
            var configuration = LifecycleConfiguration()
            configuration[Int.self] = next
            return configuration
        }
        fixture.perform(.launch)
    }

    @Test func oneRefusalKeepsTheOldConfigurationForAll() {
        fixture.perform(.reload)
        let listener = fixture.listener("listener")
        fixture.listener("strict", [.willReload], .throwing(LifecycleRefusal("too small")))

        fixture.perform(.reload)

        #expect(fixture.calls == ["strict willReload", "listener willReload", "listener didFailToReload"])
        #expect(listener.received.map { $0.configuration?[Int.self] } == [2, 1])
        #expect(listener.received.last?.userInfo == ["reasons": ["strict: too small"]])
        #expect(fixture.mediator.configuration[Int.self] == 1)
        #expect(fixture.ended.last?.result == .refused(["strict: too small"]))
    }

    /// Whoever has answered `didReload` with an error, or not at all, may have the new configuration.
    @Test(arguments: ["no", "no answer within its deadline"])
    func anAcceptedConfigurationThatIsNotAppliedHasFailed(reason: String) {
        let behavior: RecordingListener.Behavior = reason == "no" ? .throwing(LifecycleRefusal("no")) : .waiting
        fixture.perform(.reload)
        let listener = fixture.listener("listener", [.willReload, .didReload, .didFailToReload])
        fixture.listener("slow", [.didReload], deadline: .seconds(3), behavior)

        fixture.perform(.reload)
        fixture.clock.advance(by: .seconds(3))

        #expect(listener.received.map(\.name) == [.willReload, .didReload, .didFailToReload])
        #expect(listener.received.map { $0.configuration?[Int.self] } == [2, 2, 1])
        #expect(listener.received.last?.userInfo == ["reasons": [.string("slow: \(reason)")], "accepted": true])
        #expect(fixture.mediator.configuration[Int.self] == 1)
        #expect(fixture.ended.last?.result == .failed(["slow: \(reason)"]))
    }

    @Test func aListenerThatIsLateBeforeAnythingHasChangedRefuses() {
        fixture.perform(.reload)
        let listener = fixture.listener("listener", [.didReload, .didFailToReload])
        fixture.listener("slow", [.willReload], deadline: .seconds(3), .waiting)

        fixture.perform(.reload)
        fixture.clock.advance(by: .seconds(3))

        #expect(listener.received.map(\.name) == [.didFailToReload])
        #expect(listener.received.last?.userInfo["accepted"] == nil)
        #expect(fixture.ended.last?.result == .refused(["slow: no answer within its deadline"]))
    }

    @Test func dryRunEndsAfterTheCheckAndChangesNothing() {
        let listener = fixture.listener("listener")
        var reports: [TransitionReport] = []

        fixture.mediator.checkReload { reports.append($0) }
        fixture.listener("strict", [.willReload], .throwing(LifecycleRefusal("too small")))
        fixture.mediator.checkReload { reports.append($0) }

        #expect(reports.map(\.result) == [.completed, .refused(["strict: too small"])])
        #expect(reports.last?.notifications.flatMap(\.listeners).map(\.listener) == ["strict", "listener"])
        #expect(listener.received.map(\.name) == [.willReload, .willReload])
        #expect(listener.received.map { $0.configuration?[Int.self] } == [1, 2])
        #expect(listener.received.allSatisfy { $0.userInfo == ["dryRun": true] })
        #expect(fixture.mediator.configuration[Int.self] == nil)
    }

    @Test func dryRunIsNotMergedWithAReload() {
        fixture.listener("listener", [.willReload, .didReload], .waiting)
        var results: [String] = []

        fixture.mediator.perform(.reload) { results.append("first \($0.notifications.count)") }
        fixture.mediator.checkReload { results.append("check \($0.notifications.count)") }
        fixture.mediator.perform(.reload) { results.append("second \($0.notifications.count)") }
        fixture.mediator.checkReload { results.append("check \($0.notifications.count)") }
        fixture.clock.advance(by: .seconds(600))

        #expect(fixture.mediator.pendingTransitions.isEmpty)
        #expect(results.count == 4)
        #expect(results.filter { $0 == "check 1" }.count == 2)
    }

    @Test func failedFirstReloadKeepsTheConfigurationOfTheLaunch() throws {
        var read = 0
        let mediator = LifecycleMediator(clock: ManualClock()) {
            read += 1
            var configuration = LifecycleConfiguration()
            configuration[Int.self] = read
            return configuration
        }
        var restored: Int?
        let observation = mediator.addObserver(forName: .didFailToReload) { restored = $0.configuration?[Int.self] }
        try mediator.addListener(
            RecordingListener("guard", [.didReload], behavior: .throwing(LifecycleRefusal("no"))))

        mediator.perform(.launch)
        #expect(mediator.configuration[Int.self] == 1)
        mediator.perform(.reload)

        #expect(restored == 1)
        #expect(mediator.configuration[Int.self] == 1)
        observation.cancel()
    }

    @Test func launchIsRefusedWhenTheConfigurationCannotBeRead() {
        let mediator = LifecycleMediator(clock: ManualClock()) { throw LifecycleReloadError(["line 7"]) }
        var result: TransitionReport.Result?

        mediator.perform(.launch) { result = $0.result }

        #expect(result == .refused(["line 7"]))
        #expect(mediator.state == .notRunning)
    }
}
