// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryListeners
import BelfrySystemd
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LateEndRecordTests {
    private let writer = RecordingWriter()
    private let clock = ManualClock()

    @Test func answerThatOverranHasARecordThenAndWhenItEnds() async throws {
        let mediator = LifecycleMediator(clock: clock)
        let logger = LoggerListener(mediator: mediator, log: ServiceLog { [writer] _ in writer })
        try mediator.addListener(logger)
        let deaf = RecordingListener("deaf", [.flushRequested], deadline: .seconds(3), behavior: .stubborn)
        try mediator.addListener(deaf)

        mediator.post(.flushRequested) { _ in }
        clock.advance(by: .seconds(3))
        mediator.post(.statusRequested) { _ in }
        clock.advance(by: .seconds(2))
        deaf.finish()
        while writer.records.count < 4 { await Task.yield() }

        let messages = writer.records.map(\.message.description)
        #expect(messages.first == "listener 'deaf' gave no answer to flushRequested after 3000 ms")
        #expect(messages.contains("listener 'deaf': 1 calls, 1 failures, last overran after 3000 ms, 1 still running"))
        #expect(messages.last == "listener 'deaf' has ended its answer to flushRequested, after 5000 ms")
        let fields = writer.fields(3)
        #expect(fields["BELFRY_OUTCOME"] == "late" && fields["BELFRY_DURATION_USEC"] == "5000000")
    }
}
