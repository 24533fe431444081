// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryListeners
import BelfrySystemd
import Foundation
import Glibc
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PauseMarkerTests {
    let directory = try! TemporaryDirectory()  // Without it, no test can do anything.
    let writer = RecordingWriter()
    let clock = ManualClock()

    private let client = LifecycleOrigin.peer(PeerOrigin(pid: 8, uid: 0, command: "belfryctl"))

    /// A process of the service, with its marker.
    private func begin(
        boot: String = "b", keptIn state: TemporaryDirectory? = nil, service: String = "s", makers: [String] = [],
        lasting longest: Duration? = nil, in place: String? = nil, by other: (any LifecycleClock)? = nil
    ) throws -> (mediator: LifecycleMediator, marker: PauseMarker) {
        let mediator = LifecycleMediator(clock: other ?? clock)
        let marker = try PauseMarker(
            mediator: mediator,
            run: ServiceRun(bootID: boot, invocationID: "i", pid: 4, startRealtime: .microseconds(9)),
            madeBy: makers, lasting: longest, of: service, in: place ?? directory.url.path,
            and: state?.url.path,
            log: ServiceLog { [writer] _ in writer })
        return (mediator, marker)
    }

    private func launched(
        lasting longest: Duration? = nil, by other: (any LifecycleClock)? = nil
    ) throws -> (mediator: LifecycleMediator, marker: PauseMarker) {
        let process = try begin(lasting: longest, by: other)
        var options = LaunchOptions()
        options.isPaused = process.marker.isPaused
        process.mediator.perform(.launch, userInfo: options.userInfo)
        return process
    }

    /// A process that is paused by the client, and ends.
    private func pause() throws {
        let process = try launched()
        process.mediator.perform(.pause, origin: client)
        withExtendedLifetime(process.marker) {}
    }

    private var isMarked: Bool { FileManager.default.fileExists(atPath: directory.path("paused")) }
    private var texts: [String] { writer.records.map { "\($0.message)" } }

    @Test func nextProcessKnowsWhoPaused() throws {
        let first = try launched()

        first.mediator.perform(.pause, origin: client)
        let next = try launched()

        #expect(first.marker.isPaused && next.marker.isPaused)
        #expect(next.marker.record?.origin == client && next.marker.record?.kind == .paused)
        #expect(next.mediator.state == .background)
        #expect(texts == ["starting paused, by pid 8 (belfryctl), uid 0 on the socket"])
    }

    @Test func reasonIsKept() throws {
        let first = try launched()

        first.mediator.perform(.pause, origin: client, userInfo: ["reason": "a backup\n"])
        let next = try launched()
        next.mediator.perform(.resume)

        #expect(first.marker.record?.pauseReason == "a backup\n")
        // One who resumes is told nothing.
        #expect(texts == ["starting paused, by pid 8 (belfryctl), uid 0 on the socket: a backup\\n"])
    }

    @Test func pauseThatNobodyHasEndedIsTold() throws {
        let process = try launched()
        process.mediator.perform(.pause, origin: client, userInfo: ["reason": "a backup"])

        process.mediator.resumeNext(because: "a.service has started again") { _ in }

        #expect(
            texts == [
                "a.service has started again, which ends the pause since 2001-09-09T01:46:40.000000Z by pid 8 "
                    + "(belfryctl), uid 0 on the socket: a backup"
            ])
        #expect(writer.records.map(\.priority) == [.warning] && writer.fields(0)["BELFRY_SENDER_PID"] == "8")
        process.mediator.resumeNext(because: "a.service has started again") { _ in }
        #expect(writer.records.count == 1)
    }

    /// At a boot the runtime directory is new.
    @Test func pauseOfAnApplicationOutlivesTheRuntimeDirectory() throws {
        let state = try TemporaryDirectory()
        let first = try begin(keptIn: state)
        first.mediator.perform(.launch)
        first.mediator.perform(.pause, origin: client, userInfo: ["reason": "a move"])
        try FileManager.default.removeItem(atPath: directory.path("paused"))

        let next = try begin(boot: "another", keptIn: state)
        #expect(next.marker.isPaused && next.marker.record == first.marker.record)
        #expect(texts == ["starting paused, by pid 8 (belfryctl), uid 0 on the socket: a move"])
        var options = LaunchOptions()
        options.isPaused = true
        next.mediator.perform(.launch, userInfo: options.userInfo)
        #expect(next.mediator.state == .background)

        next.mediator.perform(.resume)
        #expect(try !begin(boot: "another", keptIn: state).marker.isPaused)
        #expect(access(state.path("paused"), F_OK) != 0 && !isMarked)
    }

    @Test func copyOfAnotherServiceIsLeft() throws {
        let state = try TemporaryDirectory()
        let other = try begin(keptIn: state, service: "other", in: TemporaryDirectory().url.path)
        other.mediator.perform(.launch)
        other.mediator.perform(.pause)

        let process = try begin(keptIn: state)
        process.mediator.perform(.launch)
        process.mediator.perform(.pause)
        process.mediator.perform(.resume)

        #expect(!process.marker.isPaused && access(state.path("paused"), F_OK) == 0)
        #expect(texts.count == 2 && texts.allSatisfy { $0.contains("StateDirectory=") })
    }

    @Test func markerOfAnotherServiceIsLeftWhenThePauseOfTheCopyEnds() throws {
        let state = try TemporaryDirectory()
        let first = try begin(keptIn: state, in: TemporaryDirectory().url.path)
        first.mediator.perform(.launch)
        first.mediator.perform(.pause)
        let other = try begin(service: "other")
        other.mediator.perform(.launch)
        other.mediator.perform(.pause)

        let next = try begin(keptIn: state)
        #expect(next.marker.isPaused)
        next.mediator.perform(.launch)

        #expect(!next.marker.isPaused && isMarked && access(state.path("paused"), F_OK) != 0)
    }

    @Test func pauseHasAnEnd() throws {
        let process = try launched(lasting: .seconds(60))
        process.mediator.perform(.pause, origin: client)
        clock.advance(by: .seconds(50))
        process.mediator.perform(.resume)
        process.mediator.perform(.pause, origin: client)

        clock.advance(by: .seconds(59))
        #expect(process.mediator.state == .background && texts.isEmpty)
        clock.advance(by: .seconds(1))

        #expect(process.mediator.state == .active && !isMarked && clock.pendingTimers == 0)
        #expect(texts.count == 1 && texts[0].hasPrefix("PauseMax= has passed, which ends the pause since 2001-"))
    }

    @Test(arguments: [(Duration.seconds(20), Duration.seconds(10)), (.seconds(100), .zero)])
    func timeOfAPauseCountsOverARestart(down: Duration, left: Duration) throws {
        let first = try launched(lasting: .seconds(60))
        first.mediator.perform(.pause, origin: client)
        clock.advance(by: .seconds(30))
        first.mediator.perform(.stop)
        clock.block(for: down)

        let next = try launched(lasting: .seconds(60))
        #expect(next.mediator.state == .background)
        if left > .zero { clock.advance(by: left - .seconds(1)) }
        #expect(next.mediator.state == .background)
        clock.advance(by: .seconds(1))

        #expect(next.mediator.state == .active && !isMarked)
        #expect(texts.last?.hasSuffix(" by pid 8 (belfryctl), uid 0 on the socket") == true)
    }

    @Test func timeOfAPauseCountsDuringASleepOfTheMachine() throws {
        let sleeping = SleepingClock()
        let process = try launched(lasting: .seconds(3600), by: sleeping)
        process.mediator.perform(.pause, origin: client)

        sleeping.asleep = .seconds(3000)
        process.mediator.post(.didWake)
        sleeping.awake.advance(by: .seconds(599))
        #expect(process.mediator.state == .background)
        sleeping.awake.advance(by: .seconds(1))
        #expect(process.mediator.state == .active)

        // A clock that is set back makes no pause longer.
        process.mediator.perform(.pause, origin: client)
        sleeping.asleep = .zero
        process.mediator.post(.didWake)
        sleeping.awake.advance(by: .seconds(3600))
        #expect(process.mediator.state == .active)
    }

    @Test func pauseOfTheSleepAloneHasNoEndOfItsOwn() throws {
        let process = try launched(lasting: .seconds(60))
        process.mediator.pauseForSleep(waitingAtMost: .seconds(2)) { _ in }
        process.mediator.post(.didWake)

        clock.advance(by: .seconds(100))

        #expect(process.mediator.state == .background)
    }

    @Test func pauseThatFailedEndsToo() async throws {
        let process = try begin(makers: ["shop"], lasting: .seconds(60))
        await process.mediator.perform(.launch)
        let shop = RecordingListener("shop", [.didEnterBackground], behavior: .throwing(LifecycleRefusal("busy")))
        try process.mediator.addListener(shop)
        await process.mediator.perform(.pause, origin: client)
        #expect(!isMarked && process.marker.record?.origin == client)
        #expect(texts == ["shop has failed to pause, the pause ends with this process"])

        clock.advance(by: .seconds(60))

        #expect(process.mediator.state == .active && texts.count == 2)
    }

    @Test func pauseThatFailedToEndIsOneForTheNextProcess() async throws {
        let process = try begin(makers: ["shop"])
        await process.mediator.perform(.launch)
        let shop = RecordingListener("shop", [.willEnterForeground], behavior: .throwing(LifecycleRefusal("busy")))
        try process.mediator.addListener(shop)
        await process.mediator.perform(.pause, origin: client)
        await process.mediator.perform(.resume)
        #expect(process.mediator.state == .active && isMarked && process.marker.record == nil)

        process.mediator.removeListener(shop)
        await process.mediator.perform(.pause, origin: client)
        await process.mediator.perform(.resume)

        #expect(!isMarked)
    }

    @Test func pauseThatIsMadeTheSecondTimeIsMarked() async throws {
        let process = try begin(makers: ["shop"])
        await process.mediator.perform(.launch)
        let shop = RecordingListener("shop", [.didEnterBackground], behavior: .throwing(LifecycleRefusal("busy")))
        try process.mediator.addListener(shop)
        await process.mediator.perform(.pause, origin: client)
        #expect(!isMarked)

        shop.behavior = .atOnce
        await process.mediator.perform(.pause, userInfo: ["reason": "again"])

        #expect(isMarked && process.marker.record?.origin == .service)
        #expect(process.marker.record?.pauseReason == "again")
    }

    @Test func stopAndSecondPauseLeaveTheMarkerAsItIs() throws {
        let first = try launched()
        first.mediator.perform(.pause, origin: client)
        first.mediator.perform(.stop)

        let next = try launched()
        next.mediator.perform(.pause)
        next.mediator.perform(.stop)

        #expect(try begin().marker.record?.origin == client)
    }

    @Test(arguments: [LifecycleTrigger.resume, .continued, .endSuspension])
    func markerIsGoneWhenTheServiceBecomesActive(_ trigger: LifecycleTrigger) throws {
        let first = try launched()
        first.mediator.perform(.pause)
        let next = try launched()
        let slow = RecordingListener("slow", [.didBecomeActive], deadline: .seconds(9), behavior: .stubborn)
        try next.mediator.addListener(slow)
        #expect(isMarked)

        next.mediator.perform(trigger)

        #expect(next.mediator.isInTransition && next.mediator.state == .active)
        #expect(!isMarked && !next.marker.isPaused && next.marker.record == nil)
        slow.finish()
    }

    @Test(arguments: [
        (["shop"], LifecycleNotification.Name.didEnterBackground, false), ([], .didEnterBackground, true),
        (["shop"], .willResignActive, true),
    ])
    func pauseThatTheApplicationDidNotMakeIsNotMarked(
        makers: [String], name: LifecycleNotification.Name, isKept: Bool
    ) async throws {
        let process = try begin(makers: makers)
        await process.mediator.perform(.launch)
        let shop = RecordingListener("shop", [name], behavior: .throwing(LifecycleRefusal("busy")))
        try process.mediator.addListener(shop)

        // The second one fails, too.
        for _ in 0..<2 { await process.mediator.perform(.pause) }
        #expect(process.mediator.state == .background && isMarked == isKept)

        shop.behavior = .atOnce
        for trigger in [LifecycleTrigger.resume, .pause] { await process.mediator.perform(trigger) }
        #expect(isMarked)
    }

    /// A stop overtakes a pause that waits at its end for a background task.
    @Test(arguments: [true, false])
    func failedPauseThatIsOvertakenIsNotMarked(isFailed: Bool) async throws {
        let process = try begin(makers: ["shop"])
        await process.mediator.perform(.launch)
        let behavior: RecordingListener.Behavior = isFailed ? .throwing(LifecycleRefusal("busy")) : .atOnce
        try process.mediator.addListener(RecordingListener("shop", [.didEnterBackground], behavior: behavior))
        var task: BackgroundTask?
        let mediator = process.mediator
        let observation = mediator.addObserver(forName: .didEnterBackground) { [unowned mediator] _ in
            task = mediator.beginBackgroundTask(named: "upload", deadline: .seconds(9))
        }
        var result: TransitionReport.Result?
        mediator.perform(.pause) { result = $0.result }
        while mediator.pending != ["upload"], !Task.isCancelled { await Task.yield() }

        mediator.perform(.stop) { _ in }

        #expect(result == .overtaken)
        #expect(try begin().marker.isPaused != isFailed)
        task?.end()
        withExtendedLifetime(observation) {}
    }

    @Test func markerIsThereBeforeAListenerHearsOfThePause() throws {
        let process = try launched()
        let slow = RecordingListener("slow", [.didEnterBackground], deadline: .seconds(9), behavior: .stubborn)
        try process.mediator.addListener(slow)

        process.mediator.perform(.pause)

        #expect(process.mediator.isInTransition && isMarked)
        slow.finish()
    }

    @Test func sleepAndInterruptionAreNotMarked() throws {
        let process = try launched()

        process.mediator.pauseForSleep(waitingAtMost: .seconds(2)) { _ in }
        #expect(process.mediator.state == .background && !isMarked)
        process.mediator.perform(.resume)
        process.mediator.perform(.interrupt)

        #expect(process.mediator.state == .inactive && !isMarked)
    }

    @Test func pauseDuringASleepIsMarked() throws {
        let process = try launched()
        process.mediator.pauseForSleep(waitingAtMost: .seconds(2)) { _ in }

        process.mediator.perform(.pause, origin: client)

        #expect(process.marker.record?.origin == client && isMarked)
    }

    @Test func secondSleepIsNotMarked() throws {
        let process = try launched()

        for _ in 0..<2 { process.mediator.pauseForSleep(waitingAtMost: .seconds(2)) { _ in } }

        #expect(process.mediator.state == .background && !isMarked)
    }

    @Test func sleepAfterAPauseThatHadNoEffectIsNotMarked() throws {
        let process = try launched()
        process.mediator.perform(.pause)
        process.mediator.perform(.suspend)
        process.mediator.perform(.pause)
        process.mediator.perform(.resume)

        process.mediator.pauseForSleep(waitingAtMost: .seconds(2)) { _ in }

        #expect(process.mediator.state == .background && !isMarked)
    }

    @Test func endOfTheUnitRemovesTheMarkerForGood() throws {
        let process = try launched()
        let slow = RecordingListener(
            "slow", [.willResignActive, .willTerminate], deadline: .seconds(9), behavior: .stubborn)
        try process.mediator.addListener(slow)
        process.mediator.perform(.pause)

        // The pause under way ends after the stop was accepted.
        process.marker.end()
        process.mediator.perform(.stop)
        clock.advance(by: .seconds(30))

        #expect(process.mediator.state == .notRunning && !isMarked)
        #expect(try !begin().marker.isPaused)
        slow.finish()
    }

    @Test func markerOfAnotherBootIsRemoved() throws {
        try pause()

        let next = try begin(boot: "c")

        #expect(!next.marker.isPaused && !isMarked)
        #expect(texts.isEmpty)
    }

    @Test(arguments: ["", "{", "{}", #"{"service":"s","version":2}"#, #"{"version":1,"bootId":"b"}"#])
    func markerThatCannotBeUnderstoodIsAPauseUntilItEnds(_ content: String) throws {
        try directory.write("paused", content)

        let process = try launched()

        #expect(process.mediator.state == .background && process.marker.record == nil)
        #expect(texts.count == 1)
        #expect(texts[0].hasPrefix("unable to use '\(directory.path("paused"))': "))
        #expect(texts[0].hasSuffix(", starting paused"))
        process.mediator.perform(.resume)
        #expect(!isMarked)
    }

    @Test func markerThatCannotBeReadIsAPauseUntilItEnds() throws {
        try FileManager.default.createSymbolicLink(atPath: directory.path("paused"), withDestinationPath: "/etc/passwd")

        let process = try launched()
        process.mediator.perform(.resume)

        #expect(texts.count == 1)
        #expect(texts[0].hasPrefix("unable to open '\(directory.path("paused"))': "))
        #expect(process.mediator.state == .active)
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: directory.path("paused"))) == nil)
    }

    @Test func markerOfAnotherServiceIsNeitherUsedNorReplaced() throws {
        try pause()

        let other = try begin(service: "t")
        other.mediator.perform(.launch)
        other.mediator.perform(.pause)
        other.mediator.perform(.resume)

        #expect(!other.marker.isPaused)
        #expect(try begin().marker.record?.origin == client)
        #expect(texts.count == 3)
        #expect(texts[0].contains("it belongs to the service 's', set RuntimeDirectory=, ignoring"))
        #expect(texts[1].hasSuffix("set RuntimeDirectory=, the pause ends with this process"))
    }

    @Test func pauseWithoutADirectoryIsReportedOnce() throws {
        let process = try begin(in: directory.path("missing/run"))
        process.mediator.perform(.launch)

        for trigger in [LifecycleTrigger.pause, .resume, .pause] { process.mediator.perform(trigger) }

        #expect(process.mediator.state == .background)
        #expect(texts.count == 1)
        #expect(texts[0].hasSuffix("No such file or directory (ENOENT), the pause ends with this process"))
    }

    @Test func markerIsReadableForItsOwnerOnly() throws {
        try pause()

        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("paused"))

        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}

/// A clock of a machine that sleeps: its timers do not count the time asleep.
private final class SleepingClock: LifecycleClock {
    let awake = ManualClock()
    var asleep = Duration.zero

    var now: LifecycleTime {
        LifecycleTime(realtime: awake.now.realtime + asleep, monotonic: awake.now.monotonic)
    }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any LifecycleTimer {
        awake.schedule(after: delay, body)
    }
}
