// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import LifecycleSources
import Testing

struct SourcePriorityTests {
    @Test(arguments: [SignalAction.stop, .stopNow])
    func stopGoesBeforeEveryOtherSignal(_ stop: SignalAction) {
        let others: [SignalAction] = [.reload, .pause, .resume, .interrupt, .control, .ignore, .post("flushRequested")]

        #expect(others.allSatisfy { SourcePriority.signal(stop) < SourcePriority.signal($0) })
    }

    @Test(arguments: [SignalAction.stop, .resume])
    func suspensionIsKnownBeforeAnySignal(_ action: SignalAction) {
        #expect(SourcePriority.suspension < SourcePriority.signal(action))
    }
}
