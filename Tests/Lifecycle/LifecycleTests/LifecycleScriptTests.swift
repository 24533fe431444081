// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

struct LifecycleScriptTests {
    @Test func scriptRecordsNotificationsAndReports() async throws {
        let script = LifecycleScript()
        let listener = RecordingListener("slow", [.didEnterBackground], deadline: .seconds(3), behavior: .stubborn)
        try script.mediator.addListener(listener)

        await script.run(
            .perform(.launch), .post(.flushRequested), .perform(.pause), .advance(.seconds(3)),
            .call { throw LifecycleReloadError(["odd"]) })

        #expect(
            script.notificationNames == [
                "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "flushRequested", "willResignActive",
                "didEnterBackground",
            ])
        #expect(script.problems == ["didEnterBackground: slow: no answer within its deadline"])
        #expect(script.transitions.map(\.trigger) == [.launch, .pause])
        #expect(script.errors.map { "\($0)" } == ["odd"])
        #expect(script.mediator.state == .background)
        listener.finish()
    }

    @Test func scriptPostsTypedEventsAndRecordsThem() async throws {
        let script = LifecycleScript()
        var reason: Termination.Reason?
        let listener = ClosureListener("end") { $0.onEvent(Termination.self) { reason = $0.reason } }
        try script.mediator.addListener(listener)

        await script.run(
            .perform(.launch), .post(MemoryWarning(.full)), .post(Uploaded(path: "/a", bytes: 3)),
            .perform(.stop, Termination(.stop)))

        #expect(script.notificationNames[3...4] == ["didReceiveMemoryWarning", "Uploaded"])
        #expect(script.events(Uploaded.self) == [Uploaded(path: "/a", bytes: 3)])
        #expect(script.events(MemoryWarning.self) == [MemoryWarning(.full)])
        #expect(reason == .stop)
    }
}
