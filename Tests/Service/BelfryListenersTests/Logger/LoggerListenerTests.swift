// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import Lifecycle
import BelfryListeners
import LifecycleTesting
import BelfrySystemd
import BelfryLinux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoggerListenerTests {
    let writer = RecordingWriter()
    let mediator: LifecycleMediator
    let logger: LoggerListener
    let clock = ManualClock()
    let source = ReloadSource()

    init() throws {
        var configuration = LifecycleConfiguration()
        configuration[LoggerSettings.self] = LoggerSettings()
        mediator = source.mediator(clock: clock, configuration: configuration)
        logger = LoggerListener(mediator: mediator, log: ServiceLog { [writer] _ in writer }, counter: "c0c0")
        try mediator.addListener(logger)
        logger.begin()
    }

    private let tstp = LifecycleOrigin.signal(
        SignalOrigin(number: 20, name: "SIGTSTP", pid: 7, uid: 0, loginUID: 1000, unit: "session-1.scope", value: 3))

    @Test func everyNotificationHasARecordWithAllFields() {
        mediator.perform(.launch)
        mediator.perform(.pause, origin: tstp)

        #expect(writer.records.count == 5)
        #expect(
            writer.fields(3) == [
                "BELFRY_NOTIFICATION": "willResignActive", "BELFRY_SEQUENCE": "4", "BELFRY_STATE": "inactive",
                "BELFRY_PREVIOUS_STATE": "active", "BELFRY_ORIGIN": "signal", "BELFRY_SIGNAL": "SIGTSTP",
                "BELFRY_SIGNAL_VALUE": "3", "BELFRY_SENDER_PID": "7", "BELFRY_SENDER_UID": "0",
                "BELFRY_SENDER_LOGINUID": "1000", "BELFRY_TRIGGER": "pause",
                "BELFRY_SENDER_UNIT": "session-1.scope", "BELFRY_REALTIME_USEC": "\(clock.now.realtimeUsec)",
                "BELFRY_MONOTONIC_USEC": "\(clock.now.monotonicUsec)", "BELFRY_SEQUENCE_ID": "c0c0",
            ])
        #expect(
            writer.records[3].message
                == "willResignActive active -> inactive, SIGTSTP from pid 7, uid 0, login uid 1000, session-1.scope")
        #expect(writer.records[3].messageID == MessageID.transition.rawValue)
    }

    /// A quadratic comparison takes longer than the time limit.
    @Test func errorsMayBeLong() throws {
        struct Verbose: Error, CustomStringConvertible {
            let description = String(repeating: "\u{301}\u{323}", count: 1 << 20)
        }
        try mediator.addListener(RecordingListener("verbose", [.flushRequested], behavior: .throwing(Verbose())))

        mediator.post(.flushRequested)

        #expect(writer.records.last?.message.description.hasPrefix("listener 'verbose' ") == true)
    }

    @Test func fieldsAreNotMadeForATargetThatDropsThem() throws {
        let writer = RecordingWriter(showsFields: false)
        let mediator = LifecycleMediator(clock: clock, configuration: mediator.configuration)
        let logger = LoggerListener(mediator: mediator, log: ServiceLog { _ in writer })
        try mediator.addListener(logger)
        logger.begin()

        mediator.post(.flushRequested, userInfo: ["a": 1], origin: tstp)

        #expect(
            writer.records.map(\.message) == [
                "flushRequested, SIGTSTP from pid 7, uid 0, login uid 1000, session-1.scope"
            ])
        #expect(writer.fields(0) == [:])
    }

    /// Otherwise it would be counted as a notification.
    @Test func onlyRecordsOfNotificationsHaveASequenceID() throws {
        try mediator.addListener(
            RecordingListener("other", [.flushRequested], behavior: .throwing(LifecycleRefusal("no"))))

        mediator.post(.flushRequested)
        mediator.post(.statusRequested)

        let counted = writer.records.indices.filter { writer.fields($0)["BELFRY_SEQUENCE_ID"] != nil }
        #expect(counted.map { writer.fields($0)["BELFRY_SEQUENCE"] } == ["1", "2"])
        #expect(writer.records.count > 3)
    }

    @Test func healthIsLoggedWhenItChanges() throws {
        let frail = ClosureListener("frail")
        frail.health = .unhealthy("no disk")
        try mediator.addListener(frail)

        for _ in 0..<2 { mediator.checkHealth() }
        frail.health = .lost("no disk left")
        mediator.checkHealth()
        frail.health = .healthy
        mediator.checkHealth()

        #expect(
            writer.records.map(\.message) == [
                "listener 'frail' is unhealthy, sending no watchdog keep-alive: no disk",
                "listener 'frail' is lost, triggering the watchdog: no disk left",
                "listener 'frail' is healthy again",
            ])
        #expect(
            writer.fields(0) == [
                "BELFRY_ORIGIN": "service", "BELFRY_LISTENER": "frail", "BELFRY_HEALTH": "unhealthy",
                "BELFRY_REASON": "no disk",
            ])
    }

    @Test func whatIsNotKnownYetIsNoNews() throws {
        let frail = ClosureListener("frail")
        frail.health = .unknown("not looked yet")
        try mediator.addListener(frail)

        mediator.checkHealth()
        frail.health = .healthy
        mediator.checkHealth()

        #expect(writer.records.isEmpty)
    }

    @Test func aListenerThatIsRemovedIsNotCalledHealthy() throws {
        let frail = ClosureListener("frail")
        frail.health = .degraded("no disk")
        try mediator.addListener(frail)
        mediator.checkHealth()

        mediator.removeListener(frail)

        #expect(writer.records.map(\.message) == ["listener 'frail' is degraded: no disk"])
    }

    @Test func recordPrecedesTheListeners() throws {
        let listener = RecordingListener("listener", [.willFinishLaunching])
        var recordsThen = 0
        listener.journal = { [writer] _ in recordsThen = writer.records.count }
        try mediator.addListener(listener)

        mediator.perform(.launch)

        #expect(recordsThen == 1)
    }

    @Test func recordsOfPostsThatAListenerDoesNotGetAreLimited() throws {
        let slow = RecordingListener("slow", [.flushRequested], deadline: .seconds(60), behavior: .stubborn)
        try mediator.addListener(slow)
        let failures = { [writer] in
            writer.records.filter { $0.messageID == MessageID.listenerFailed.rawValue }.map(\.message.description)
        }
        let refused = "listener 'slow' failed at flushRequested: 4096 posts wait for its answers"

        for _ in 0..<4096 + 100 { mediator.post(.flushRequested) }
        clock.advance(by: .seconds(29))
        mediator.post(.flushRequested)
        #expect(failures() == Array(repeating: refused, count: 20))
        clock.advance(by: .seconds(1))
        mediator.post(.flushRequested)

        #expect(failures().count == 21)
        #expect(failures().last == "\(refused); 81 such messages before it were suppressed")
        slow.finish()
    }

    @Test func overrunNamesTheListener() throws {
        let slow = RecordingListener("slow", [.flushRequested], deadline: .milliseconds(250), behavior: .stubborn)
        try mediator.addListener(slow)

        mediator.post(.flushRequested)
        clock.advance(by: .milliseconds(250))
        slow.finish()

        let record = try #require(writer.records.last)
        #expect(record.priority == .warning)
        #expect(record.messageID == MessageID.listenerFailed.rawValue)
        #expect(record.message == "listener 'slow' gave no answer to flushRequested after 250 ms")
        let fields = writer.fields(writer.records.count - 1)
        #expect(fields["BELFRY_LISTENER"] == "slow")
        #expect(fields["BELFRY_OUTCOME"] == "overran")
        #expect(fields["BELFRY_DURATION_USEC"] == "250000")
    }

    @Test func answerThatOverranHasARecordWhenItEnds() async throws {
        let deaf = RecordingListener("deaf", [.flushRequested], deadline: .seconds(3), behavior: .stubborn)
        try mediator.addListener(deaf)
        mediator.post(.flushRequested) { _ in }
        clock.advance(by: .seconds(3))
        mediator.post(.statusRequested) { _ in }
        clock.advance(by: .seconds(2))
        let status = "listener 'deaf': 1 calls, 1 failures, last overran after 3000 ms, 1 still running"
        #expect(writer.records.last?.message.description == status)

        let count = writer.records.count
        deaf.finish()
        while writer.records.count == count, !Task.isCancelled { await Task.yield() }

        let message = "listener 'deaf' has ended its answer to flushRequested, after 5000 ms"
        #expect(writer.records.last?.message.description == message)
        let fields = writer.fields(count)
        #expect(fields["BELFRY_OUTCOME"] == "late" && fields["BELFRY_DURATION_USEC"] == "5000000")
    }

    @Test func mergedTriggerIsLoggedWithItsOrigin() async throws {
        mediator.perform(.launch) { _ in }
        let slow = RecordingListener("slow", [.willReload], behavior: .stubborn)
        try mediator.addListener(slow)
        for origin in [.service, .service, tstp] { mediator.perform(.reload, origin: origin) { _ in } }

        let record = try #require(writer.records.last)
        #expect(record.priority == .info && record.messageID == MessageID.merged.rawValue)
        #expect(record.message == "reload merged with the one that waits, \(tstp.words)")
        let fields = writer.fields(writer.records.count - 1)
        #expect(fields["BELFRY_TRIGGER"] == "reload" && fields["BELFRY_SENDER_PID"] == "7")
        slow.behavior = .atOnce
        slow.finish()
        while mediator.isInTransition, !Task.isCancelled { await Task.yield() }
    }

    @Test func statusRequestWritesOneRecordForEachListener() throws {
        try mediator.addListener(RecordingListener("other", [.didBecomeActive]))
        mediator.perform(.launch)

        mediator.post(.statusRequested)

        let status = writer.records.filter { $0.messageID == MessageID.listenerStatus.rawValue }
        #expect(status.map { $0.message.description.prefix(16) } == ["listener 'logger", "listener 'other'"])
    }

    @Test func reloadDisablesAndEnablesTheLogger() {
        mediator.perform(.launch)
        var parameters = LoggerSettings()
        parameters.isEnabled = false
        source.read = {
            var configuration = LifecycleConfiguration()
            configuration[LoggerSettings.self] = parameters
            return configuration
        }

        mediator.perform(.reload)
        let quiet = writer.records.count
        mediator.post(.flushRequested)
        #expect(writer.records.count == quiet)
        parameters.isEnabled = true
        mediator.perform(.reload)
        mediator.post(.flushRequested)

        #expect(writer.records.last?.message.description.hasPrefix("flushRequested") == true)
    }

    @Test func reloadToAnUnavailableTargetIsRefused() throws {
        var parameters = LoggerSettings()
        parameters.target = .journal
        let mediator = LifecycleMediator(clock: clock, configuration: LifecycleConfiguration()) {
            var configuration = LifecycleConfiguration()
            configuration[LoggerSettings.self] = parameters
            return configuration
        }
        let log = ServiceLog { [writer] target in
            guard target == .journal else { return writer }
            throw SystemError(EACCES, verb: "connect to", object: "journal")
        }
        try mediator.addListener(LoggerListener(mediator: mediator, log: log))
        mediator.perform(.launch)

        var result: TransitionReport.Result?
        mediator.perform(.reload) { result = $0.result }

        #expect(result == .refused(["logger: unable to connect to 'journal': Permission denied (EACCES)"]))
    }

    @Test func aReloadThatWasNotAppliedHasAnotherRecordThanARefusedOne() throws {
        let other = RecordingListener("other", [.willReload], behavior: .throwing(LifecycleRefusal("no")))
        try mediator.addListener(other)
        mediator.perform(.launch)

        mediator.perform(.reload)
        let refused = writer.records.last?.message.description
        mediator.removeListener(other)
        try mediator.addListener(
            RecordingListener("late", [.didReload], behavior: .throwing(LifecycleRefusal("no"))))
        mediator.perform(.reload)

        let failed = writer.records.last?.message.description
        let more = ", not every listener has applied the new one"
        #expect(refused?.hasPrefix("didFailToReload") == true && refused?.hasSuffix("configuration stays") == true)
        #expect(failed == refused.map { $0 + more })
    }

    @Test func statusRequestsOfClientsAreRateLimited() throws {
        let statuses = { [writer] in
            writer.records.count { $0.messageID == MessageID.listenerStatus.rawValue }
        }
        let peer = LifecycleOrigin.peer(PeerOrigin(pid: 7, uid: 1000))
        mediator.perform(.launch)

        for _ in 0..<1000 { mediator.post(.statusRequested, origin: peer) }
        #expect(statuses() == 1)
        clock.advance(by: .seconds(1))
        #expect(statuses() == 2)
        mediator.post(.statusRequested, origin: peer)
        #expect(statuses() == 2)
        mediator.post(.statusRequested, origin: tstp)
        #expect(statuses() == 3)
        clock.advance(by: .seconds(10))

        #expect(statuses() == 4)
        #expect(clock.pendingTimers == 0)
    }

    @Test func unknownFollowedNameIsReported() throws {
        try mediator.addListener(ClosureListener("following", follows: ["logger", "misspelt"]))

        mediator.perform(.launch)

        let warnings = writer.records.filter { $0.messageID == MessageID.unknownFollowed.rawValue }
        #expect(warnings.map(\.message) == ["listener 'following' follows 'misspelt', which is not there, ignoring"])
        #expect(warnings.map(\.priority) == [.warning])
    }

    @Test func untrustedTextForgesNoLine() throws {
        let forged = "x\r\nbelfryd: y\u{2028}z"
        let peer = LifecycleOrigin.peer(PeerOrigin(pid: 7, uid: 1000, unit: "a.scope\nb", command: "c\nd"))
        try mediator.addListener(
            RecordingListener("other", [.flushRequested], behavior: .throwing(LifecycleRefusal(forged))))

        mediator.post(.flushRequested, origin: peer)

        #expect(writer.records.count >= 2)
        #expect(writer.records.allSatisfy { !$0.message.description.utf8.contains { $0 < 0x20 } })
        #expect(writer.records.contains { $0.message.description.contains(#"x\r\nbelfryd: y\u{2028}z"#) })
    }
}
