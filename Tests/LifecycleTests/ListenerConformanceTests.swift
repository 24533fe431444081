// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ListenerConformanceTests {
    private func failures(_ fault: FaultyListener.Fault) async throws -> [String] {
        try await ListenerConformance(patience: .milliseconds(100)).check { mediator, _ in
            FaultyListener(fault, mediator)
        }
    }

    @Test(arguments: [
        (FaultyListener.Fault.none, nil as String?),
        (.nameless, "has a name: it is empty"),
        (.unspeakable, "has a name: 'two words' has white space or control characters in it"),
        (.followsItself, "has a place: 'faulty' follows itself"),
        (.declaresTwice, "declares each interest once: 'flushRequested' is declared again"),
        (.isMoody, "declares each interest once: others are declared when they are read again"),
        (.offersTwice, "offers each action once: 'tidy' is offered again"),
        (.hurries, "leaves itself time: the deadline for 'flushRequested' is 0.0 seconds"),
        (.hangs, "answers within its deadline: no answer to 'flushRequested'"),
        (.hangsLater, "answers within its deadline: no answer to 'willTerminate'"),
        (.throwsError, "answers what it declared: 'didResume' failed: no"),
        (.refusesReload, "answers what it declared: 'willReload' refused: never"),
        (
            .failsWhenItJoinsLate,
            "added or removed at any point: pause: answers what it declared: 'didEnterBackground' failed: not launched"
        ),
        (.keepsItself, "is gone when it was removed: something still holds 'faulty'"),
        (.ignoresCancellation, "ends when it is cancelled: an answer was still working afterwards"),
    ])
    func saysWhichRuleIsBroken(fault: FaultyListener.Fault, failure: String?) async throws {
        #expect(try await failures(fault) == [failure].compactMap { $0 })
    }

    @Test func everyFaultIsTried() { #expect(FaultyListener.Fault.allCases.count == 15) }

    @Test func waitsByTheManualClockAreNoOverrun() async throws {
        let failures = try await ListenerConformance(patience: .milliseconds(100)).check { _, clock in
            DozingListener(clock)
        }

        #expect(failures == [])
    }

    @Test func recordingListenerConforms() async throws {
        #expect(try await ListenerConformance().check { RecordingListener("recorder") } == [])
    }
}
