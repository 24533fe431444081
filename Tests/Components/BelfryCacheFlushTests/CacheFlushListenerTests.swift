// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import Lifecycle
import BelfryCacheFlush
import BelfryListeners
import LifecycleTesting
import BelfrySystemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CacheFlushListenerTests {
    let directory = try! TemporaryDirectory()  // Without it, no test can do anything.

    private func settings(_ file: String) throws -> BelfrySettings {
        let settings = try #require(ConfigurationLoader.read(from: .files([file])).settings)
        try #require(settings.caches.count == 1)
        return settings
    }

    private func service(
        files: Int, limits: String = "SizeMax=1G"
    ) throws -> (LifecycleMediator, RecordingWriter) {
        try directory.write("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
        for index in 0..<files { try directory.write("file\(index)", "x") }
        let file = try directory.write(
            "belfry.conf", "[Cache thumbnails]\nPath=\(directory.url.path)\n\(limits)\nWriteBack=no\n")
        var configuration = LifecycleConfiguration()
        configuration[BelfrySettings.self] = try settings(file)
        let mediator = LifecycleMediator(clock: ManualClock(), configuration: configuration)
        let writer = RecordingWriter()
        try mediator.addListener(CacheFlushListener(mediator: mediator, log: ServiceLog { _ in writer }))
        mediator.perform(.launch)
        return (mediator, writer)
    }

    @Test func requestsDuringAFlushAreMerged() async throws {
        let (mediator, _) = try service(files: 200)
        var reports: [ListenerReport] = []
        var threads = 0

        for _ in 0..<2000 { mediator.post(.flushRequested) { reports += $0.listeners } }
        while reports.count < 2000, !Task.isCancelled {
            threads = max(threads, try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count)
            await Task.yield()
        }

        #expect(reports.allSatisfy { $0.outcome == .completed })
        #expect(reports.allSatisfy { $0.work == reports.first?.work })
        #expect(threads < 32)
    }

    @Test func requestsWithoutAWaiterUseNoMemory() async throws {
        let (mediator, _) = try service(files: 200)
        var works: [WorkSummary?] = []
        let observation = mediator.addEventObserver(for: .listenerWorked) {
            if case .listenerWorked(let report, _) = $0 { works.append(report.work) }
        }
        defer { observation.cancel() }

        for _ in 0..<20_000 { mediator.post(.flushRequested, completion: nil) }
        let calls = mediator.listeners.first?.record.calls ?? 0
        while works.count < 2, !Task.isCancelled { await Task.yield() }

        #expect(calls == 19_998)
        #expect(mediator.listeners.first?.record.calls == 20_000)
    }

    @Test func reportSaysWhatWasFreed() async throws {
        let (mediator, _) = try service(files: 2, limits: "FilesMax=1")
        var report: LifecycleReport?

        mediator.post(.flushRequested) { report = $0 }
        while report == nil, !Task.isCancelled { await Task.yield() }

        let work = try #require(report?.listeners.first?.work)
        let cache = work.details?["caches"]?.arrayValue?.first?.objectValue
        #expect(cache?["cache"] == "thumbnails" && cache?["filesSeen"] == 3 && cache?["filesRemoved"] == 2)
        #expect(cache?["dryRun"] == false)
        let freed = try #require(cache?["bytesFreed"]?.intValue)
        #expect(work.text == "'thumbnails' removed 2 of 3 files, freed \(freed) bytes")
    }

    @Test func dryRunCountsNothingAsDeleted() async throws {
        let (mediator, _) = try service(files: 2, limits: "FilesMax=1\nDryRun=yes")
        var report: LifecycleReport?

        mediator.post(.flushRequested) { report = $0 }
        while report == nil, !Task.isCancelled { await Task.yield() }

        let work = try #require(report?.listeners.first?.work)
        #expect(work.text.hasPrefix("'thumbnails' dry run, would remove 2 of 3 files"))
        let cache = work.details?["caches"]?.arrayValue?.first?.objectValue
        #expect(cache?["filesRemoved"] == 2 && cache?["dryRun"] == true)
    }

    /// The time of a stop grows only while a listener works.
    @Test func finishedFlushDoesNotExtendAStop() async throws {
        let (mediator, _) = try service(files: 2, limits: "FilesMax=1\nOn=willTerminate")
        var progress: [LifecycleProgress] = []
        let observation = mediator.addEventObserver(for: .progress) {
            if case .progress(let event) = $0 { progress.append(event) }
        }
        defer { observation.cancel() }
        var ended = false

        mediator.perform(.stop) { _ in ended = true }
        while !ended, !Task.isCancelled { await Task.yield() }

        #expect(progress.allSatisfy { !$0.isExtended })
    }

    @Test func longFlushReportsProgressAndIsCancelledAtItsDeadline() async throws {
        let (mediator, writer) = try service(files: 2000, limits: "FilesMax=0")
        let clock = try #require(mediator.clock as? ManualClock)
        var report: LifecycleReport?

        mediator.post(.flushRequested) { report = $0 }
        clock.advance(by: .seconds(9))
        clock.advance(by: .seconds(1))

        #expect(report?.listeners.first?.outcome == .overran)
        while writer.records.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(writer.records.last?.message.description.contains("cacheFlush: 'thumbnails' removed ") == true)
    }

    @Test func stopCancelsPostedFlushes() async throws {
        let (mediator, _) = try service(files: 200)
        var outcomes: [ListenerOutcome] = []
        var ended = false

        for _ in 0..<3 { mediator.post(.flushRequested) { outcomes += $0.listeners.map(\.outcome) } }
        mediator.perform(.stop) { _ in ended = true }
        #expect(outcomes == Array(repeating: .failed("cancelled, the service is stopping"), count: 3))
        mediator.post(.flushRequested) { outcomes += $0.listeners.map(\.outcome) }
        while !ended, !Task.isCancelled { await Task.yield() }

        #expect(outcomes.count == 4 && outcomes.last?.isProblem == true)
    }

    /// By the configuration that the reload brings, or keeps.
    @Test(arguments: ["didReload", "didFailToReload"])
    func reloadFlushesTheCachesThatNameIt(name: String) async throws {
        let (before, writer) = try service(files: 2, limits: "FilesMax=1")
        _ = before
        let file = try directory.write(
            "new.conf", "[Cache thumbnails]\nPath=\(directory.url.path)\nFilesMax=0\nWriteBack=no\nOn=\(name)\n")
        var (old, new) = (LifecycleConfiguration(), LifecycleConfiguration())
        let settings = try settings(file)
        new[BelfrySettings.self] = settings
        if name == "didFailToReload" { old[BelfrySettings.self] = settings }
        let mediator = LifecycleMediator(
            clock: ManualClock(), configuration: old,
            readConfiguration: {
                if name == "didFailToReload" { throw LifecycleReloadError(["refused"]) }
                return new
            })
        try mediator.addListener(CacheFlushListener(mediator: mediator, log: ServiceLog { _ in writer }))
        mediator.perform(.launch) { _ in }
        var report: TransitionReport?

        mediator.perform(.reload) { report = $0 }
        while report == nil, !Task.isCancelled { await Task.yield() }

        #expect(report?.notifications.flatMap(\.listeners).compactMap(\.work).count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["CACHEDIR.TAG"])
    }
}
