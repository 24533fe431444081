// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import BelfryEventLoop
import Foundation
import BelfryLinux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoopSourceTests {
    let loop = try! MainEventLoop()  // No loop, no test: the suite has nothing to go on with.

    @Test func timerFiresOncePerSetting() throws {
        var fired = 0
        let timer = try loop.timer(after: .zero) { fired += 1 }

        try loop.turn { fired == 1 }
        try loop.turn(waiting: .milliseconds(5))
        try timer.fire(after: .zero)
        try loop.turn { fired == 2 }

        #expect(fired == 2)
    }

    @Test func descriptorReportsWhatIsReady() throws {
        let (reader, writer) = try makePipe()
        defer { [reader, writer].forEach { close($0) } }
        var seen: [DescriptorEvents] = []
        let source = try loop.source(descriptor: reader, .readable) { seen.append($0) }

        try loop.turn(waiting: .zero)
        #expect(seen.isEmpty)
        write(writer, "x", 1)
        try loop.turn { !seen.isEmpty }

        #expect(seen == [.readable])
        #expect(source.events == .readable)
    }

    @Test func ownedDescriptorIsClosedInTheRightOrder() throws {
        let (reader, writer) = try makePipe()
        let copy = dup(reader)
        defer { [copy, writer].forEach { close($0) } }
        var fired = 0
        let source = try loop.source(owning: OwnedDescriptor(owning: reader), .readable) { _ in fired += 1 }
        write(writer, "x", 1)
        try loop.turn { fired == 1 }
        #expect(source.descriptor == reader)

        source.cancel()
        // With a copy, the kernel would go on to report the descriptor if it was closed first.
        try loop.turn(waiting: .milliseconds(5))

        #expect(fired == 1 && source.descriptor == -1)
        #expect(fcntl(reader, F_GETFD) == -1)
    }

    @Test func inotifyNamesTheEntryThatChanged() throws {
        let directory = try TemporaryDirectory()
        var changes: [FileChange] = []
        let source = try loop.source(path: directory.url.path, [.created, .deleted]) { changes.append($0) }

        try directory.write("a", "")
        try FileManager.default.removeItem(atPath: directory.path("a"))
        try loop.turn { changes.count == 2 }

        #expect(changes.map(\.name) == ["a", "a"])
        #expect(changes.map(\.kinds) == [.created, .deleted])
        #expect(!source.isCancelled)
    }

    @Test func deferredWorkRunsOncePerSchedule() throws {
        var runs = 0
        let work = try loop.deferred { runs += 1 }

        try loop.turn(waiting: .zero)
        work.schedule()
        work.schedule()
        for _ in 0..<3 { try loop.turn(waiting: .zero) }

        #expect(runs == 1)
    }

    @Test func cancelledPendingSourceDoesNotFire() throws {
        var fired: [String] = []
        var second: DeferredEventSource?
        let first = try loop.deferred {
            fired.append("first")
            second?.cancel()
        }
        second = try loop.deferred { fired.append("second") }
        first.priority = -1
        first.schedule()
        second?.schedule()

        for _ in 0..<3 { try loop.turn(waiting: .zero) }

        #expect(fired == ["first"])
        #expect(second?.isCancelled == true)
    }

    @Test func droppedSourceDoesNotFire() throws {
        var fired = 0
        var work: DeferredEventSource? = try loop.deferred { fired += 1 }
        work?.schedule()
        work = nil

        for _ in 0..<3 { try loop.turn(waiting: .zero) }

        #expect(fired == 0)
    }

    @Test func sourceMayReleaseItselfWhileItFires() throws {
        var fired = 0
        var work: DeferredEventSource?
        work = try loop.deferred {
            fired += 1
            work = nil
        }
        work?.schedule()

        for _ in 0..<3 { try loop.turn(waiting: .zero) }

        #expect(fired == 1)
        #expect(work == nil)
    }

    @Test func invalidDescriptorIsRefusedByName() {
        #expect(throws: SystemError(EBADF, verb: "watch descriptor", object: "9999")) {
            _ = try loop.source(descriptor: 9999, .readable) { _ in }
        }
    }

    private func makePipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError.last(verb: "make", object: "pipe") }
        return (ends[0], ends[1])
    }
}
