// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

struct LifecycleScriptTests {
    @Test func scriptRecordsNotificationsAndReports() async throws {
        let script = LifecycleScript()
        let listener = RecordingListener("slow", [.didEnterBackground], deadline: .seconds(3), manner: .stubborn)
        try script.mediator.addListener(listener)

        await script.run(
            .perform(.launch), .post(.flushRequested), .perform(.pause), .advance(.seconds(3)),
            .call { throw LifecycleReloadError(["odd"]) })

        #expect(
            script.told == [
                "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "flushRequested", "willResignActive",
                "didEnterBackground",
            ])
        #expect(script.problems == ["didEnterBackground: slow: no answer within its deadline"])
        #expect(script.transitions.map(\.trigger) == [.launch, .pause])
        #expect(script.errors.map { "\($0)" } == ["odd"])
        #expect(script.mediator.state == .background)
        listener.finish()
    }
}
