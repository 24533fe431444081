// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryListeners
import Foundation
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@testable import Belfry

/// Processes of the instance, one after the other, whose program fails as told.
struct FailedCommandsTests {
    let directory: TemporaryDirectory
    let settings: ApplicationSettings
    let writer = RecordingWriter()

    /// One process. Its program is in `program`.
    @MainActor private final class Process {
        let mediator = LifecycleMediator(clock: ManualClock())
        let failed: FailedCommands
        let program: RecordingListener

        init(_ settings: ApplicationSettings, in directories: [String], isPaused: Bool = false, log: ServiceLog) throws
        {
            failed = FailedCommands(of: settings, in: directories, isPaused: isPaused, mediator: mediator, log: log)
            program = RecordingListener("shop", settings.commands.map(\.notification))
            try mediator.addListener(program)
            var options = LaunchOptions()
            options.isPaused = isPaused
            mediator.perform(.launch, userInfo: options.userInfo)
        }

        /// Does this while the program fails for the reason.
        func fail(_ reason: String?, _ body: (LifecycleMediator) -> Void) {
            program.behavior = reason.map { .throwing(LifecycleRefusal($0)) } ?? .atOnce
            body(mediator)
        }

        /// The keys, and the reasons without the time.
        var failures: [String: String] {
            let object = failed.userInfo["failedCommands"]?.objectValue ?? [:]
            return Dictionary(
                uniqueKeysWithValues: object.map { key, text in
                    (key, text.stringValue?.components(separatedBy: "Z: ").last ?? "")
                })
        }
    }

    init() throws {
        directory = try TemporaryDirectory()
        mkdir(directory.path("copy"), 0o700)
        let text = "Start=a\nPause=a\nResume=a\nCheckReload=a\nReload=a\nStop=a\nFlush=a\nDegraded=a\ncom.example.x=a\n"
        try directory.write("root/etc/belfry/applications/shop.conf", "[Application]\nUnit=a.service\n[On]\n" + text)
        let scope = ApplicationScope.system(root: directory.path("root"))
        settings = try #require(ApplicationFile("shop", in: scope).settings)
    }

    @MainActor private func process(isPaused: Bool = false) throws -> Process {
        try Process(
            settings, in: [directory.url.path, directory.path("copy")], isPaused: isPaused,
            log: ServiceLog { [writer] _ in writer })
    }

    private static func start(_ mediator: LifecycleMediator, isMissed: Bool = false) {
        mediator.post(ApplicationVerb.unitDidStart, userInfo: isMissed ? ["stopMissed": true] : [:])
    }

    /// What is in the files of both directories.
    private var files: [String] {
        [directory.path("failed-commands"), directory.path("copy/failed-commands")].map {
            (try? String(contentsOfFile: $0, encoding: .utf8)) ?? ""
        }
    }

    @Test func aFailedStopIsKnownToTheNextProcessesUntilOneSucceeds() throws {
        let first = try process()
        first.fail("full\ndisk") { $0.perform(.stop, userInfo: ["unitJob": "stop"]) }
        // Neither the next run of the unit nor the end of belfryd alone is a success.
        for _ in 0...1 {
            let next = try process()
            #expect(next.failures == ["Stop": "shop: full\\ndisk"])
            next.fail(nil) { Self.start($0) }
            next.fail(nil) { $0.perform(.stop, userInfo: ["unitJob": "none"]) }
        }
        let last = try process()
        last.fail(nil) { $0.perform(.stop, userInfo: ["unitJob": "restart"]) }
        #expect(try process().failures == [:] && files == ["", ""])
        #expect(writer.records.isEmpty)
    }

    /// It is killed, or the machine loses its power.
    @Test func aStopWhoseEndNobodyKnowsIsAFailure() throws {
        let first = try process()
        first.program.journal = { [unowned program = first.program] in
            if $0.hasSuffix("willTerminate") { program.behavior = .stubborn }
        }
        first.mediator.perform(.stop, userInfo: ["unitJob": "stop"])
        #expect(first.failures == [:])
        // Another command ends meanwhile.
        first.fail("no") { $0.post(.flushRequested) }
        #expect(first.failures == ["Flush": "shop: no"])

        #expect(try process().failures["Stop"] == "Stop= ran when belfryd ended")
        first.program.finish()
    }

    @Test func aCommandWhoseEndNobodyKnowsIsAFailureOfTheNextProcess() throws {
        let first = try process()
        first.program.behavior = .stubborn
        first.mediator.post(.flushRequested)
        #expect(first.failures == [:])

        let next = try process()
        #expect(next.failures == ["Flush": "Flush= ran when belfryd ended"])
        next.fail(nil) { $0.post(.flushRequested) }
        #expect(try process().failures == [:])
        first.program.finish()
    }

    @Test func aPauseWhoseEndNobodyKnowsIsRunAgain() throws {
        let first = try process()
        first.program.behavior = .stubborn
        first.mediator.perform(.pause)

        // Also the second of two such ends is not forgotten.
        _ = try process(isPaused: true)
        let next = try process(isPaused: true)
        #expect(next.failures == ["Pause": "Pause= ran when belfryd ended"])
        next.fail(nil) { $0.perform(.pause) }
        #expect(next.mediator.state == .background && next.failures == [:])
        #expect(next.program.received.last?.name == .didEnterBackground)
        first.program.finish()
    }

    @Test func onlyTheServiceItselfSaysThatTheUnitHasBegunARun() throws {
        let process = try process()
        process.fail("no") { $0.post(.flushRequested) }
        let client = LifecycleOrigin.peer(PeerOrigin(pid: 1, uid: 0))
        process.fail(nil) {
            $0.post(ApplicationVerb.unitDidStart, userInfo: ["stopMissed": true], origin: client)
        }

        #expect(process.failures == ["Flush": "shop: no"])
    }

    @Test func aCommandThatIsNotSetAnyMoreHasNotFailed() throws {
        try process().fail("no") { $0.post(.flushRequested) }
        try directory.write(
            "root/etc/belfry/applications/shop.conf", "[Application]\nUnit=a.service\n[On]\nPause=a\n")
        let settings = try #require(
            ApplicationFile("shop", in: .system(root: directory.path("root"))).settings)
        let next = try Process(settings, in: [directory.url.path], log: ServiceLog { [writer] _ in writer })

        #expect(next.failures == [:] && files[0].isEmpty)
    }

    @Test func oneFileThatCannotBeWrittenLosesNothingOfTheOther() throws {
        mkdir(directory.path("failed-commands.new"), 0o700)
        try process().fail("no") { $0.post(.flushRequested) }

        #expect(writer.records.count == 1 && files[0].isEmpty && !files[1].isEmpty)
        #expect(try process().failures == ["Flush": "shop: no"])
    }

    @Test func failuresOutliveTheRuntimeDirectory() throws {
        try process().fail("no") { $0.post(.flushRequested) }
        unlink(directory.path("failed-commands"))

        #expect(try process().failures == ["Flush": "shop: no"])
    }

    @Test func aStopThatDidNotRunIsAFailureUnlessOneIsKnown() throws {
        let first = try process()
        first.fail(nil) { Self.start($0, isMissed: true) }
        #expect(first.failures == ["Stop": "Stop= had not run when a.service started again"])
        first.fail("full") { $0.perform(.stop, userInfo: ["unitJob": "stop"]) }

        let second = try process()
        second.fail(nil) { Self.start($0, isMissed: true) }
        #expect(second.failures == ["Stop": "shop: full"])
    }

    @Test func aFileThatCannotBeReadIsReported() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("failed-commands"), withIntermediateDirectories: false)

        #expect(try process().failures == [:])
        #expect(writer.records.count == 1)
    }

    /// What a command has done last is what counts, whatever came between.
    @Test(arguments: 1...50)
    func eachCommandHasItsOwnFailure(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (process, expected): (Process, [String: String]) = (try process(), [:])
        for number in 0..<40 {
            let reason = Bool.random(using: &random) ? "\(number)" : nil
            func ran(_ key: String, _ opposite: String = "") {
                expected[key] = reason.map { "shop: \($0)" }
                if reason == nil { expected[opposite] = nil }
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                process.fail(reason) { Self.start($0) }
                expected = expected.filter { $0.key == "Stop" }
                ran("Start")
            case 1:
                process.fail(reason) { $0.post(.flushRequested) }
                ran("Flush")
            case 2:
                process.fail(reason) { $0.post(ApplicationVerb.unitDidDegrade) }
                ran("Degraded")
            case 3:
                process.fail(reason) { $0.post(LifecycleNotification.Name("com.example.x")!) }
                ran("com.example.x")
            case 4 where process.mediator.state == .active:
                process.fail(reason) { $0.perform(.pause) }
                ran("Pause", "Resume")
            case 5 where process.mediator.state == .background:
                process.fail(reason) { $0.perform(.resume) }
                ran("Resume", "Pause")
            case 6 where process.mediator.state == .active:
                process.fail(reason) { $0.perform(.reload) }
                // CheckReload= has refused.
                if reason == nil { ran("Reload") }
            case 7:
                let job = ["stop", "none"].randomElement(using: &random)!
                process.fail(reason) { $0.perform(.stop, userInfo: ["unitJob": .string(job)]) }
                if job == "stop" { ran("Stop") }
                #expect(process.failures == expected, "\(number)")
                process = try self.process()
                expected["Pause"] = nil
            default: continue
            }
            #expect(files[0] == files[1])
            #expect(process.failures == expected, "\(number)")
        }
    }
}
