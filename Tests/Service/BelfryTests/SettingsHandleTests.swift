// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Lifecycle
import LifecycleTesting
import Testing

struct SettingsHandleTests {
    private final class SizeListener: LifecycleListener {
        let name = "size"
        let limit: SettingsHandle<Int>

        init(_ limit: SettingsHandle<Int>) { self.limit = limit }

        var answers: [LifecycleAnswer] { [on(.flushRequested) { [self] _ in _ = limit.value }] }
    }

    @Test func mediatorEndsThoughItsListenerHasAHandle() throws {
        weak var ended: LifecycleMediator?
        let handle = try {
            let mediator = LifecycleMediator(clock: ManualClock())
            ended = mediator
            let handle = SettingsHandle(5, in: mediator)
            try mediator.addListener(SizeListener(handle))
            mediator.configuration[Int.self] = 6
            #expect(handle.value == 6)
            return handle
        }()

        #expect(ended == nil)
        #expect(handle.value == 5)
    }
}
