// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import BelfryListeners
import Foundation
@testable import Lifecycle
import LifecycleTesting
import BelfrySystemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ExitRecordStoreTests {
    let directory = try! TemporaryDirectory()  // Without it, no test can do anything.
    let writer = RecordingWriter()
    let clock = ManualClock()
    let mediator: LifecycleMediator

    private let term = LifecycleOrigin.signal(
        SignalOrigin(number: 15, name: "SIGTERM", pid: 1, uid: 0, unit: "init.scope", command: "systemd"))

    init() { mediator = LifecycleMediator(clock: clock) }

    private func run(_ invocation: String = "one") -> ServiceRun {
        ServiceRun(bootID: "b", invocationID: invocation, pid: 4, startRealtime: .microseconds(9))
    }

    private func begin(_ mediator: LifecycleMediator, _ invocation: String = "one") -> ExitRecordStore {
        ExitRecordStore(
            mediator: mediator, run: run(invocation), files: RunFiles(directory: directory.url.path, service: "s"),
            log: ServiceLog { [writer] _ in writer })
    }

    /// Ends the record with a stop of the service.
    private func ended(_ store: ExitRecordStore, exitStatus: Int32) -> LifecycleObservation {
        mediator.addEventObserver(for: .transitionEnded) {
            if case .transitionEnded(let report) = $0, report.trigger == .stop {
                let now = mediator.clock.now.realtime
                store.store(ExitRecord(.stopped, report, realtime: now, exitStatus: exitStatus))
            }
        }
    }

    private func stopped(
        by origin: LifecycleOrigin, _ reason: Termination.Reason, exitStatus: Int32
    ) -> ExitRecord {
        var record = ExitRecord(.stopped, by: origin, realtime: clock.now.realtime)
        (record.reason, record.exitStatus) = (reason, exitStatus)
        return record
    }

    private func stored() throws -> ServiceRun {
        try RunRecord.run([UInt8](Data(contentsOf: directory.url.appendingPathComponent("last-word"))))
    }

    @Test func activeRunHasNoExitRecord() throws {
        let store = begin(mediator)
        mediator.perform(.launch)

        #expect(store.found == .nothing && store.launchCause == .boot)
        #expect(try stored() == run())
        #expect(writer.records.isEmpty)
    }

    @Test func exitRecordIsWrittenAtTheBeginningAndEndOfAStop() throws {
        let store = begin(mediator)
        let slow = RecordingListener("slow", [.willTerminate], deadline: .seconds(2), behavior: .stubborn)
        try mediator.addListener(slow)
        let ending = ended(store, exitStatus: 143)
        defer { ending.cancel() }
        mediator.perform(.launch)

        mediator.perform(.stop, origin: term, userInfo: ["reason": "stop"])
        let early = try #require(try stored().exitRecord)
        clock.advance(by: .seconds(1))
        mediator.perform(.stop, origin: .peer(PeerOrigin(pid: 8, uid: 0)))
        let record = try #require(try stored().exitRecord)

        #expect(early.kind == .stopping && early.reason == .stop && early.origin == term && early.exitStatus == nil)
        #expect(record.kind == .stopped && record.reason == .stop && record.origin == term && record.exitStatus == 143)
        #expect(record.cutShortBy == .peer(PeerOrigin(pid: 8, uid: 0)))
        #expect(
            record.listeners == [ExitRecord.ListenerTime(listener: "slow", outcome: "overran", duration: .seconds(1))])
        #expect(store.exitRecord == record)
        slow.finish()
    }

    @Test func exitRecordSaysWhatListenersDid() throws {
        let store = begin(mediator)
        try mediator.addListener(Worker())
        mediator.perform(.launch)

        mediator.perform(.pause, origin: term)

        #expect(store.exitRecord?.listeners.map(\.work) == ["stopped at frame 9; dropped 97 frames"])
        #expect(try stored().exitRecord == store.exitRecord)
    }

    @Test(arguments: [LifecycleTrigger.reload, .pause])
    func exitRecordIsWrittenBeforeAStopWaitsForATransition(trigger: LifecycleTrigger) throws {
        let store = begin(mediator)
        let slow = RecordingListener(
            "slow", [.willReload, .didEnterBackground, .willTerminate], deadline: .seconds(9), behavior: .stubborn)
        try mediator.addListener(slow)
        for trigger in [.launch, trigger] { mediator.perform(trigger) }

        mediator.perform(.stop, origin: term, userInfo: ["reason": "stop"])
        let early = try #require(try stored().exitRecord)
        clock.advance(by: .seconds(9))
        let later = try #require(try stored().exitRecord)

        #expect(early.kind == .stopping && early.origin == term && early.reason == nil)
        #expect(later.kind == .stopping && later.origin == term)
        #expect(store.exitRecord == later)
        slow.finish()
    }

    @Test func resumeRemovesTheExitRecordOfAPause() throws {
        let store = begin(mediator)
        mediator.perform(.launch)

        mediator.perform(.pause, origin: term, userInfo: ["reason": "a backup"])
        #expect(try stored().exitRecord?.kind == .paused)
        #expect(try stored().exitRecord?.pauseReason == "a backup" && stored().exitRecord?.reason == nil)
        #expect(store.exitRecord?.origin == term)
        #expect(store.userInfo["lastWord"]?["endedBy"] == nil)
        mediator.perform(.resume, userInfo: ["reason": "PauseMax= has passed"])

        #expect(try stored().exitRecord == nil)
        #expect(store.exitRecord == nil)
        let word = try #require(store.userInfo["lastWord"])
        #expect(word["kind"] == "paused" && word["pauseReason"] == "a backup")
        #expect(word["endedBy"]?["kind"] == "service" && word["endReason"] == "PauseMax= has passed")
        #expect(word["endedUsec"] != nil)
        // An interruption is no pause.
        for trigger in [LifecycleTrigger.interrupt, .resume] { mediator.perform(trigger, origin: term) }
        #expect(store.userInfo["lastWord"] == word)
    }

    @Test func resumeDuringAStopChangesNothing() throws {
        let store = begin(mediator)
        let slow = RecordingListener("slow", [.willTerminate], deadline: .seconds(2), behavior: .stubborn)
        try mediator.addListener(slow)
        let ending = ended(store, exitStatus: 0)
        defer { ending.cancel() }
        mediator.perform(.launch)

        mediator.perform(.stop, origin: term, userInfo: ["reason": "stop"])
        mediator.perform(
            .resume, origin: .signal(SignalOrigin(number: 18, name: "SIGCONT", pid: 1, uid: 0)))
        clock.advance(by: .seconds(2))

        let record = try #require(try stored().exitRecord)
        #expect(record.kind == .stopped && record.origin == term && record.cutShortBy == nil)
        slow.finish()
    }

    @Test func nextRunReadsTheExitRecord() throws {
        let store = begin(mediator)
        store.store(stopped(by: term, .signal, exitStatus: 131))
        try RunFiles(directory: directory.url.path, service: "s").write(
            UnitExit(result: "exit-code", code: "exited", status: "131"), of: "one")

        let next = begin(LifecycleMediator(clock: clock), "two")

        #expect(next.previousRun?.exit?.status == "131")
        #expect(next.previousRun?.exitRecord?.reason == .signal)
        #expect(next.launchCause == .failure)
        #expect(next.exitRecord?.origin == term)
        #expect(try stored() == run("two"))
    }

    @Test func exitOfAnotherRunIsIgnored() throws {
        let files = RunFiles(directory: directory.url.path, service: "s")
        let exit = UnitExit(result: "watchdog", code: "killed", status: "ABRT")
        _ = begin(LifecycleMediator(clock: clock))
        #expect(throws: RunFiles.OtherRun.self) { try files.write(exit, of: "another") }
        try files.write(UnitExit(result: "success"), of: "called off")
        try files.write(exit, of: "one")
        _ = begin(LifecycleMediator(clock: clock), "two")

        let next = begin(LifecycleMediator(clock: clock), "three")

        #expect(next.previousRun?.exit == nil)
        #expect(next.launchCause == .crash)
    }

    @Test(arguments: [
        "", "nonsense", "{", "[]", "{}", #"{"version":2}"#, #"{"version":1,"bootId":"b"}"#,
        #"{"version":1,"bootId":"b","pid":4,"startRealtimeUsec":9,"lastWord":{"kind":"sung"}}"#,
    ])
    func invalidRecordIsRefusedWithItsReason(_ text: String) throws {
        try directory.write("last-word", text)

        let store = begin(mediator)

        #expect(store.found == .refused && store.previousRun == nil && store.launchCause == nil)
        let message = try #require(writer.records.first?.message.description)
        #expect(
            message.hasPrefix("unable to use '\(directory.path("last-word"))': ") && message.hasSuffix(", ignoring"))
        #expect(FileManager.default.fileExists(atPath: directory.path("last-word.refused")))
        #expect(try stored() == run())
    }

    @Test func overlongRecordIsNotRead() throws {
        try directory.write("last-word", String(repeating: " ", count: RunRecord.sizeMax + 1))

        let store = begin(mediator)

        #expect(store.found == .refused)
        #expect(writer.records.first?.message.description.contains("File too large (EFBIG), ignoring") == true)
    }

    @Test func mutatedRecordsAreReadOrRefused() throws {
        var whole = run()
        whole.exitRecord = ExitRecord(.paused, by: term, realtime: .microseconds(7))
        let bytes = RunRecord.encode(whole, of: "s")
        var random = SeededRandom(seed: 11)

        #expect(try RunRecord.run(bytes) == whole)
        for _ in 0..<5000 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                broken[Int.random(in: broken.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            _ = try? RunRecord.run(broken)
            _ = try? RunRecord.run(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
        }
    }

    @Test func sizeOfARecordIsLimited() throws {
        let store = begin(mediator)
        for number in 0..<1000 { try mediator.addListener(RecordingListener("listener \(number)", [.willTerminate])) }
        let ending = ended(store, exitStatus: 0)
        defer { ending.cancel() }
        mediator.perform(.launch)
        let error = JSONValue.string(String(repeating: "x", count: 1 << 20))

        mediator.perform(.stop, origin: term, userInfo: ["reason": "failed", "error": error])

        let record = try #require(try stored().exitRecord)
        #expect(record.listeners.count == 64 && record.problem?.count == 512)
    }

    @Test func missingDirectoryIsNoFailure() throws {
        let store = ExitRecordStore(
            mediator: mediator, run: run(), files: RunFiles(directory: directory.path("nowhere"), service: "s"),
            log: ServiceLog { [writer] _ in writer })
        mediator.perform(.launch)
        store.store(stopped(by: .service, .finished, exitStatus: 0))

        #expect(store.launchCause == nil)
        #expect(writer.records.isEmpty)
        #expect(store.absence == SystemError(ENOENT, verb: "keep the last word in", object: directory.path("nowhere")))
    }
}

private final class Worker: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.willResignActive) { _ in "stopped at frame 9" }
        on(.didEnterBackground) { _ in "dropped 97 frames" }
    }
}
