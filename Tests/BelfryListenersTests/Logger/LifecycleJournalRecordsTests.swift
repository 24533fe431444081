// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfryListeners
import LifecycleTesting
import BelfrySystemd
import TestSupport
import Testing
import Varlink

struct LifecycleJournalRecordsTests {
    @Test func recordHasTheTimeOfEachListener() throws {
        let clock = ManualClock()
        let mediator = LifecycleMediator(clock: clock)
        try mediator.addListener(RecordingListener("first", [.willResignActive]))
        try mediator.addListener(
            RecordingListener("slow", [.didEnterBackground], deadline: .seconds(2), manner: .waiting))
        mediator.perform(.launch)
        let start = clock.now.monotonicUsec
        var report: TransitionReport?

        mediator.perform(.stop) { report = $0 }
        clock.advance(by: .seconds(2))

        let record = try #require(report.flatMap(TimelineRecord.record))
        let writer = RecordingWriter()
        writer.write(record)
        let fields = writer.fields(0)
        #expect(record.message == "stop took 2000 ms, 'slow' 2000 ms of it")
        #expect(fields["BELFRY_TRIGGER"] == "stop")
        #expect(fields["BELFRY_DURATION_USEC"] == "2000000")
        let steps = try JSONValue(json: Array((fields["BELFRY_TIMELINE"] ?? "").utf8))
        #expect(steps[0]?["listeners"]?[0]?["listener"] == "first")
        #expect(
            steps[1]?["listeners"]?[0] == [
                "listener": "slow", "outcome": "overran", "startUsec": .int(Int64(start)), "durationUsec": 2_000_000,
            ])
    }

    @Test func onlyLaunchAndStopHaveARecord() throws {
        let mediator = LifecycleMediator(clock: ManualClock())
        mediator.perform(.launch)
        var report: TransitionReport?

        mediator.perform(.pause) { report = $0 }

        #expect(report != nil && report.flatMap(TimelineRecord.record)?.message == nil)
    }
}
