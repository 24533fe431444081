// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
@testable import BelfryListeners
import LifecycleTesting
import BelfrySystemd
import TestSupport
import Testing
import Varlink

struct LifecycleJournalRecordsTests {
    private let clock = ManualClock()
    private let mediator: LifecycleMediator

    init() { mediator = LifecycleMediator(clock: clock) }

    @Test func longestDurationHasItsText() { #expect(Duration.seconds(Int64.max).milliseconds == Int64.max / 1000) }

    @Test func recordHasTheTimeOfEachListener() throws {
        try mediator.addListener(RecordingListener("first", [.willResignActive]))
        try mediator.addListener(
            RecordingListener("slow", [.didEnterBackground], deadline: .seconds(2), behavior: .waiting))
        mediator.perform(.launch)
        let start = clock.now.monotonicUsec
        var report: TransitionReport?

        mediator.perform(.stop) { report = $0 }
        clock.advance(by: .seconds(2))

        let record = try #require(report.flatMap(TimelineRecord.record))
        let writer = RecordingWriter()
        writer.write(record)
        let fields = writer.fields(0)
        #expect(record.message == "stop took 2000 ms: 'slow' 2000 ms")
        #expect(fields["BELFRY_TRIGGER"] == "stop")
        #expect(fields["BELFRY_DURATION_USEC"] == "2000000")
        let steps = try JSONValue(json: Array((fields["BELFRY_TIMELINE"] ?? "").utf8)).arrayValue ?? []
        let calls = steps.compactMap { $0["listeners"]?.arrayValue?.first }
        #expect(calls.first?["listener"] == "first")
        #expect(
            calls.dropFirst().first == [
                "listener": "slow", "outcome": "overran", "startUsec": .int(Int64(start)), "durationUsec": 2_000_000,
            ])
    }

    @Test func transitionHasARecordIfAnAnswerHadADeadline() throws {
        try mediator.addListener(quick)
        mediator.perform(.launch)
        var reports: [TransitionReport] = []

        mediator.perform(.pause) { reports.append($0) }
        try mediator.addListener(
            RecordingListener("cache", [.didBecomeActive], deadline: .seconds(3), behavior: .waiting))
        mediator.perform(.resume, origin: hup) { reports.append($0) }
        clock.advance(by: .seconds(3))

        try #require(reports.count == 2)
        #expect(TimelineRecord.record(of: reports[0]) == nil)
        let fields = fields(of: try #require(TimelineRecord.record(of: reports[1])))
        let expected = [
            "BELFRY_TRIGGER": "resume", "BELFRY_SEQUENCE": "6", "BELFRY_STATE": "active",
            "BELFRY_PREVIOUS_STATE": "background", "BELFRY_ORIGIN": "signal", "BELFRY_SIGNAL": "SIGHUP",
            "BELFRY_SENDER_PID": "5", "BELFRY_SENDER_UID": "6",
        ]
        for (name, value) in expected { #expect(fields[name] == value, "\(name)") }
    }

    @Test func postHasARecordIfAnAnswerHadADeadline() throws {
        try mediator.addListener(quick)
        try mediator.addListener(
            RecordingListener("cache", [.flushRequested], deadline: .seconds(3), behavior: .waiting))
        var records: [JournalRecord] = []
        let events = mediator.addEventObserver {
            if let record = TimelineRecord.record(of: $0) { records.append(record) }
        }
        defer { events.cancel() }

        mediator.post(.statusRequested)
        mediator.post(.didWake)
        mediator.post(.flushRequested, origin: hup)
        clock.advance(by: .seconds(3))

        let fields = fields(of: try #require(records.first))
        #expect(records.map(\.message) == ["flushRequested took 3000 ms: 'cache' 3000 ms"])
        #expect(fields["BELFRY_NOTIFICATION"] == "flushRequested" && fields["BELFRY_SEQUENCE"] == "3")
        #expect(fields["BELFRY_DURATION_USEC"] == "3000000" && fields["BELFRY_SENDER_PID"] == "5")
        #expect(JournalNotificationReader.object(fields, bootID: "b") == nil)
    }

    @Test func everyRecordSaysWhoCausedItAndWhatItIsAbout() throws {
        let writer = RecordingWriter()
        var configuration = LifecycleConfiguration()
        configuration[LoggerSettings.self] = LoggerSettings()
        let mediator = LifecycleMediator(clock: clock, configuration: configuration)
        let log = ServiceLog { [writer] _ in writer }
        let logger = LoggerListener(mediator: mediator, log: log)
        logger.begin()
        let timelines = mediator.addEventObserver {
            if let record = TimelineRecord.record(of: $0) { log.write(record) }
        }
        defer { withExtendedLifetime(timelines) {} }
        try mediator.addListener(logger)
        try mediator.addListener(
            RecordingListener("slow", [.flushRequested, .willResignActive], deadline: .seconds(1), behavior: .waiting))

        mediator.perform(.launch)
        mediator.post(.flushRequested, origin: .peer(PeerOrigin(pid: 8, uid: 9, unit: "u", command: "c")))
        clock.advance(by: .seconds(1))
        mediator.post(.statusRequested, origin: hup)
        mediator.perform(.pause, origin: hup)
        mediator.perform(.reload)
        mediator.perform(.reload, origin: hup)
        clock.advance(by: .seconds(1))
        mediator.perform(.stop, origin: hup)
        log.write(LifecycleJournalRecords.record(ofUnknown: "a", followedBy: "b"))
        log.write(LifecycleJournalRecords.record(of: .unhealthy("x"), of: "b"))
        log.write(.warning, "one of the service itself", .savedState)
        log.set(level: .debug, by: hup)

        let kinds = Set(writer.records.map(\.messageID))
        let expected: [MessageID] = [
            .transition, .notification, .listenerFailed, .listenerStatus, .listenerHealth, .unknownFollowed, .merged,
            .timeline, .answers, .savedState, .control,
        ]
        #expect(kinds == Set(expected.map(\.rawValue)))
        for index in writer.records.indices {
            let fields = writer.fields(index)
            var needed = ["BELFRY_ORIGIN"]
            if fields["BELFRY_ORIGIN"] == "signal" { needed.append("BELFRY_SIGNAL") }
            if fields["BELFRY_ORIGIN"] != "service" { needed += ["BELFRY_SENDER_PID", "BELFRY_SENDER_UID"] }
            if fields["BELFRY_NOTIFICATION"] != nil {
                needed += ["BELFRY_SEQUENCE", "BELFRY_STATE", "BELFRY_PREVIOUS_STATE"]
            }
            if fields["BELFRY_OUTCOME"] != nil { needed += ["BELFRY_LISTENER", "BELFRY_DURATION_USEC"] }
            if fields["BELFRY_TIMELINE"] != nil {
                needed += ["BELFRY_SEQUENCE", "BELFRY_STATE", "BELFRY_PREVIOUS_STATE", "BELFRY_DURATION_USEC"]
            }
            let missing = needed.filter { fields[$0] == nil }
            #expect(missing.isEmpty, "\(writer.records[index].message)")
        }
    }

    /// Answers at once.
    private let quick = ClosureListener("quick") {
        $0.on(.willResignActive) { _ in }
        $0.on(.statusRequested) { _ in }
    }
    private let hup = LifecycleOrigin.signal(SignalOrigin(number: 1, name: "SIGHUP", pid: 5, uid: 6))

    private func fields(of record: JournalRecord) -> [String: String] {
        let writer = RecordingWriter()
        writer.write(record)
        return writer.fields(0)
    }
}
