// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc
import TestSupport
import Testing

/// The record of a write is what the reader gets, even if the writer is killed.
@Suite(.timeLimit(.minutes(2)))
struct VarlinkWriteRecorderTests {
    private struct Record {
        var write = belfry_inflight_write()
        var position = belfry_position()

        /// How many bytes have been written since the beginning.
        var place: UInt64 {
            guard write.slot != 0 else { return position.number }
            var write = write
            return write.before.number + UInt64(belfry_inflight_bytes(&write))
        }
    }

    @Test(arguments: [700, 300_000])
    func killedWriterHasRecordedEveryByte(longest: Int) throws {
        let memory = belfry_memory_file("test", 4096)
        let address = try #require(mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0))
        let record = address.bindMemory(to: Record.self, capacity: 1)
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer {
            munmap(address, 4096)
            for descriptor in ends + [memory] { close(descriptor) }
        }
        var random = SystemRandomNumberGenerator()
        var received: UInt64 = 0
        for _ in 0..<100 {
            let writer = try spawn(longest, memory, ends[1])
            var wanted = Int.random(in: 1...200_000, using: &random)
            while wanted > 0 { wanted -= read(ends[0], &received, waiting: true) }
            kill(writer, SIGKILL)
            #expect(waitpid(writer, nil, 0) == writer)
            while read(ends[0], &received, waiting: false) > 0 {}
            try #require(record.pointee.place == received)
        }
    }

    private func spawn(_ longest: Int, _ memory: Int32, _ socket: Int32) throws -> pid_t {
        var pid: pid_t = 0
        let program = try ProbeProcess.path(of: "VarlinkProbe")
        let words: [String] = [program, "write", "\(longest)"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for argument in arguments { free(argument) } }
        try #require(belfry_spawn(&pid, program, &arguments, &environment, true, [memory, socket, 2], 3) == 0)
        return pid
    }

    private static let period = 251
    private static let pattern = (0..<(32 << 10) + period).map { UInt8($0 % period) }

    /// Reads what is available, and checks that it continues the pattern.
    private func read(_ descriptor: Int32, _ received: inout UInt64, waiting: Bool) -> Int {
        var bytes = [UInt8](repeating: 0, count: 32 << 10)
        let count = recv(descriptor, &bytes, bytes.count, waiting ? 0 : Int32(MSG_DONTWAIT))
        guard count > 0 else { return 0 }
        let start = Int(received % UInt64(Self.period))
        #expect(bytes[..<count] == Self.pattern[start..<start + count])
        received += UInt64(count)
        return count
    }
}
