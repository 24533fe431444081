// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// Triggers that are merged while another transition is under way.
@Suite(.timeLimit(.minutes(1)))
struct TransitionQueueTests {
    let fixture = MediatorFixture()
    let slow: RecordingListener
    let recorder = Recorder()

    final class Recorder {
        var seen: [(name: LifecycleNotification.Name, userInfo: UserInfo)] = []
        var merged: [(LifecycleTrigger, LifecycleOrigin)] = []
    }

    init() {
        fixture.perform(.launch)
        slow = fixture.listener("slow", [.willReload], .waiting)
        fixture.observe { [recorder] in
            if case .merged(let trigger, let origin) = $0 { recorder.merged.append((trigger, origin)) }
        }
    }

    private func finishReload() async {
        slow.behavior = .atOnce
        slow.finish()
        await fixture.until { !fixture.mediator.isInTransition }
    }

    /// The notifications after a reload during which these triggers came.
    private func notifications(after requests: [(LifecycleTrigger, UserInfo)]) async -> [String] {
        fixture.perform(.reload)
        for (trigger, userInfo) in requests { fixture.mediator.perform(trigger, userInfo: userInfo) { _ in } }
        let observation = fixture.mediator.addObserver { [recorder] in
            recorder.seen.append(($0.name, $0.userInfo))
        }
        await finishReload()
        observation.cancel()
        return recorder.seen.dropFirst().map { name, userInfo in
            guard case .int(let count) = userInfo["count"] else { return "\(name)" }
            return "\(name) \(count)"
        }
    }

    @Test func resumeThatComesNextDoesNotUndoAPauseThatWaits() async {
        fixture.perform(.pause)
        fixture.perform(.reload)
        for trigger in [LifecycleTrigger.pause, .resume] { fixture.mediator.perform(trigger) { _ in } }
        var reported = false
        fixture.mediator.resumeNext(because: "tests") { _ in reported = true }
        let moves = fixture.mediator.pendingTransitions.map(\.trigger)

        await finishReload()

        #expect(moves == [.reload, .resume, .pause, .resume])
        #expect(reported && fixture.mediator.state == .active)
    }

    /// A pause and a pause by another during a reload.
    @Test(arguments: [[0], [0, 1], [1]])
    func withdrawnRequestIsNotDone(withdrawn: [Int]) async {
        fixture.perform(.reload)
        var reported: [Int] = []
        let requests = [0, 1].map { number in
            fixture.mediator.request(.pause, origin: .service) { _ in reported.append(number) }
        }

        for number in withdrawn { fixture.mediator.withdraw(requests[number]) }
        await finishReload()

        #expect(reported == [0, 1].filter { !withdrawn.contains($0) })
        #expect(fixture.mediator.state == (withdrawn.count == 2 ? .active : .background))
        #expect(fixture.mediator.pauses == 2 - withdrawn.count)
    }

    @Test func requestThatHasBegunIsDone() async {
        let request = fixture.mediator.request(.reload, origin: .service) { [fixture] in fixture.ended.append($0) }

        fixture.mediator.withdraw(request)
        slow.finish()
        await fixture.until { !fixture.mediator.isInTransition }

        #expect(fixture.ended.last?.result == .completed)
    }

    @Test func suspensionsAreNotMerged() async {
        let suspensions = [328, 859].map { Suspension(.freezer, duration: .milliseconds($0)) }

        let notifications = await notifications(after: suspensions.map { (.endSuspension, $0.userInfo) })

        #expect(notifications == ["didResume", "didResume"])
        #expect(recorder.seen.compactMap { Suspension(userInfo: $0.userInfo) } == suspensions)
        #expect(recorder.merged.isEmpty)
    }

    @Test func eventOfAMergeHasTheOrigin() async {
        let peers = (1...3).map { LifecycleOrigin.peer(PeerOrigin(pid: $0, uid: 0)) }
        fixture.perform(.reload)
        for peer in peers { fixture.mediator.perform(.reload, origin: peer) { _ in } }

        #expect(recorder.merged.map(\.0) == [.reload, .reload])
        #expect(recorder.merged.map(\.1) == Array(peers[1...]))
        await finishReload()
    }
}
