// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySocket
import BelfrySystemd
import Glibc
import TestSupport
import Testing
import Varlink

/// What the next process finds in the service manager's descriptor store.
@Suite(.timeLimit(.minutes(1)))
struct RetainedNotificationsTests {
    private static let name = "belfry-notifications"
    /// As a default configuration has it.
    private static let size = 4 << 20
    private let service = DaemonFixture()
    private var manager: StandInSocket { service.manager }

    /// The memory of a process that has posted twenty notifications.
    private func memory(size: Int = size) throws -> RingFile {
        let file = try RingFile(ringSize: size, bootID: "b007")
        var ring = file.ring(capacity: 1024)
        for number in 1...20 {
            ring.append(#"{"parameters":{"notification":{"sequence":\#(number)}},"continues":true}"# + "\0")
        }
        return file
    }

    /// The next process, which continues the numbers after 20.
    private func next(_ memory: RingFile) throws -> SocketFixture {
        try SocketFixture(
            manager: ServiceManagerSocket(address: manager.path), received: [(Self.name, dup(memory.descriptor))],
            lastSequence: 20)
    }

    private func numbers(_ fixture: SocketFixture, after: Int64, count: Int) throws -> [Int64?] {
        let subscriber = try fixture.more("Subscribe", ["after": .int(after)])
        try fixture.turn { subscriber.replies.count == count + 1 || subscriber.isOver }
        return subscriber.replies.dropFirst().map { $0["notification"]?["sequence"]?.intValue }
    }

    private func messages() -> [[String]] {
        var messages: [[String]] = []
        while manager.hasDatagram { messages.append(manager.next()) }
        return messages
    }

    @Test func nextProcessSendsWhatTheLastOneRetained() throws {
        let fixture = try next(memory())

        #expect(try numbers(fixture, after: 15, count: 8) == Array(16...23))
        #expect(fixture.writer.records.isEmpty)
        #expect(
            messages() == [["FDSTORE=1", "FDNAME=belfry-listener"], ["FDSTORE=1", "FDNAME=\(Self.name)"]])
    }

    @Test func memoryOfAnotherSizeIsCopied() throws {
        let fixture = try next(memory(size: 64 << 10))

        #expect(try numbers(fixture, after: 0, count: 23) == Array(1...23))
        #expect(
            messages().suffix(2) == [
                ["FDSTOREREMOVE=1", "FDNAME=\(Self.name)"], ["FDSTORE=1", "FDNAME=\(Self.name)"],
            ])
    }

    @Test func memoryOfAnotherVersionIsReplaced() throws {
        let old = try memory()
        var version: UInt64 = 1000
        try #require(pwrite(old.descriptor, &version, 8, 8) == 8)

        let fixture = try next(old)
        let refused = try fixture.more("Subscribe", ["after": 15])
        try fixture.turn { refused.isOver }

        #expect(refused.error == "io.belfry.Lifecycle.NotRetained")
        #expect(refused.errorParameters == ["oldest": 21])
        #expect(
            fixture.writer.records.map(\.message) == [
                "unable to use the notifications that the last process retained: "
                    + "their memory has format 1000, not \(RingFile.version)"
            ])
        #expect(messages().suffix(2).first == ["FDSTOREREMOVE=1", "FDNAME=\(Self.name)"])
    }
}
