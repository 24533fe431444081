// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux
import BelfryListeners
import BelfrySystemd
import Dispatch
import Foundation
import Glibc
import Lifecycle
import Logging
import TestSupport
import Testing

@testable import BelfryLogging

/// The handler with a stand-in for journald.
@Suite(.timeLimit(.minutes(1)))
struct BelfryLogHandlerTests {
    let directory: TemporaryDirectory
    let journal: StandInSocket
    let loop: MainEventLoop
    let log: ServiceLog
    let intake = LogIntake()

    init() throws {
        let directory = try TemporaryDirectory()
        let journal = try StandInSocket(at: directory.path("journal"))
        (self.directory, self.journal) = (directory, journal)
        loop = try MainEventLoop()
        log = ServiceLog { _ in try JournalWriter(identifier: "videod", address: journal.path) }
        log.begin(on: loop)
    }

    /// A logger that is connected by the test itself: in a test process the main actor may change its thread between the
    /// initialiser and the test.
    private func logger(_ label: String = "test", _ provider: Logger.MetadataProvider? = nil) -> Logger {
        log.receive(from: intake, identifier: "videod")
        return Logger(label: label) { [intake] in
            BelfryLogHandler(label: $0, metadataProvider: provider, intake: intake)
        }
    }

    /// The messages that arrive until there are this many.
    private func messages(_ count: Int) async throws -> [String] {
        var messages: [String] = []
        let start = MonotonicInstant.now
        while messages.count < count, MonotonicInstant.now - start < .seconds(30) {
            try loop.turn(waiting: .zero)
            while let record = journal.record() { messages.append(record["MESSAGE"] ?? "") }
            // The jobs of the main actor run here, not on the loop, which does not run in a test.
            await Task.yield()
        }
        return messages
    }

    @Test func recordHasMetadataAndSourceAsFields() {
        logger("video.store").warning(
            "disk is\nfull", metadata: ["path": "/srv", "sizes": ["1", "2"]], file: "Store/Disk.swift",
            function: "write(_:)", line: 42)

        #expect(
            journal.record() == [
                "MESSAGE": "disk is\nfull", "PRIORITY": "4", "SYSLOG_IDENTIFIER": "videod", "LOGGER": "video.store",
                "CODE_FILE": "Store/Disk.swift", "CODE_FUNC": "write(_:)", "CODE_LINE": "42", "PATH": "/srv",
                "SIZES": #"["1","2"]"#,
            ])
    }

    @Test func recordHasItsErrorAsFields() {
        logger().error("unable to go on", error: SystemError(ENOENT, verb: "open", object: "/x"))

        let record = journal.record()
        #expect(record?["ERROR"] == "unable to open '/x': No such file or directory (ENOENT)")
        #expect(record?["ERROR_TYPE"] == "BelfryLinux.SystemError")
        #expect(record?["ERRNO"] == "2")
    }

    @Test func messageIDIsThatOfTheMetadata() {
        logger().info("known", metadata: ["MESSAGE_ID": "0123456789abcdef0123456789abcdef"])

        #expect(journal.record()?["MESSAGE_ID"] == "0123456789abcdef0123456789abcdef")
    }

    @Test func callOverridesTheProviderWhichOverridesTheLogger() {
        var logger = logger("test", Logger.MetadataProvider { ["b": "provider", "c": "provider"] })
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "b"] = "logger"

        logger.info("all", metadata: ["c": "call"])

        let record = journal.record()
        #expect(record?["A"] == "logger" && record?["B"] == "provider" && record?["C"] == "call")
    }

    @Test(arguments: [
        (Logger.Level.trace, "7"), (.debug, "7"), (.info, "6"), (.notice, "5"), (.warning, "4"), (.error, "3"),
        (.critical, "2"),
    ])
    func levelIsAPriority(level: Logger.Level, priority: String) {
        log.set(level: .debug, by: .service)
        _ = journal.record()

        logger().log(level: level, "x")

        #expect(journal.record()?["PRIORITY"] == priority)
    }

    @Test func levelOfTheServiceIsThatOfEveryLogger() {
        let logger = logger()
        var quiet = logger
        quiet.logLevel = .error
        var verbose = logger
        verbose.logLevel = .trace
        #expect(logger.logLevel == .info && quiet.logLevel == .error && verbose.logLevel == .trace)

        logger.debug("not written")
        verbose.debug("not written")
        log.set(level: .debug, by: .service)
        #expect(logger.logLevel == .trace)
        logger.debug("a")
        verbose.debug("b")
        quiet.warning("not written")
        log.set(level: .error, by: .service)
        logger.warning("not written")
        logger.error("c")

        var messages: [String] = []
        while let record = journal.record() { messages.append(record["MESSAGE"] ?? "") }
        #expect(messages.filter { $0.utf8.count == 1 || $0 == "not written" } == ["a", "b", "c"])
    }

    @Test func loggersAreValues() {
        var first = logger()
        first.logLevel = .debug
        first[metadataKey: "only-on"] = "first"
        var second = first
        second.logLevel = .error
        second[metadataKey: "only-on"] = "second"

        #expect(first.logLevel == .debug && second.logLevel == .error)
        #expect(first[metadataKey: "only-on"] == "first" && second[metadataKey: "only-on"] == "second")
    }

    @Test func recordOfAnotherThreadComesBeforeWhatFollowsIt() {
        let logger = logger()
        startThread { logger.info("thread") }.wait()

        log.write(.info, "service", .notification)

        #expect(journal.record()?["MESSAGE"] == "thread")
        #expect(journal.record()?["MESSAGE"] == "service")
    }

    @Test func recordsOfManyThreadsArriveCompleteAndInTheOrderOfEach() async throws {
        let logger = logger()
        let threads = (0..<4).map { thread in
            startThread { for number in 0..<500 { logger.info("\(thread) \(number)") } }
        }

        let messages = try await messages(2000)

        for thread in threads { thread.wait() }
        #expect(messages.count == 2000)
        for thread in 0..<4 {
            #expect(messages.filter { $0.hasPrefix("\(thread) ") } == (0..<500).map { "\(thread) \($0)" })
        }
    }

    @Test(arguments: [(6000, 1), (120, 100_000)])
    func recordsBeyondTheLimitAreCounted(records: Int, size: Int) async throws {
        let logger = logger()
        let value = String(repeating: "x", count: size / 8)
        // Eight values, because each is cut at 8 KiB.
        let metadata = Dictionary(uniqueKeysWithValues: (0..<8).map { ("v\($0)", Logger.MetadataValue("\(value)")) })
        let thread = startThread { for number in 0..<(records * 2) { logger.info("\(number)", metadata: metadata) } }
        thread.wait()

        var messages: [String] = []
        while messages.last?.contains("are missing here: the main thread") != true {
            messages += try await self.messages(1)
        }

        let missing = try #require(messages.last?.split(separator: " ").first.flatMap { Int($0) })
        #expect(messages.count - 1 + missing == records * 2)
        #expect(messages.dropLast() == (0..<(messages.count - 1)).map { "\($0)" }[...])
    }

    @Test func recordsThatWaitAreWrittenAtTheEnd() {
        let logger = logger()
        startThread { logger.info("last") }.wait()

        log.finish()

        #expect(journal.record()?["MESSAGE"] == "last")
    }
}

/// Starts a thread of its own, and returns what it signals at its end. In a test the main actor may use any thread of the pool.
private nonisolated func startThread(_ work: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        work()
        ended.signal()
    }
    return ended
}
