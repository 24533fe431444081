// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
internal import BelfryLinux

/// A private journal, written by systemd-journal-remote(8).
public final class JournalFixture {
    /// The default boot of records.
    public static let bootID = "0123456789abcdef0123456789abcdef"

    /// The fields of a record, in order.
    public typealias Record = [(name: String, value: String)]

    /// The fields in what is sent to journald (systemd, «Native Journal Protocol»).
    public static func record(_ bytes: ArraySlice<UInt8>) -> Record {
        var record: Record = []
        var rest = bytes
        while let end = rest.firstIndex(of: 10) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
                let value = line[(equals + 1)...]
                record.append(
                    (String(decoding: line[..<equals], as: UTF8.self), String(decoding: value, as: UTF8.self)))
            } else {
                let count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                let value = rest.dropFirst(8).prefix(count)
                record.append((String(decoding: line, as: UTF8.self), String(decoding: value, as: UTF8.self)))
                rest = rest.dropFirst(8 + count + 1)
            }
        }
        return record
    }

    private static let writer = "/lib/systemd/systemd-journal-remote"

    private let directory: TemporaryDirectory
    private var count = 0

    /// Makes an empty journal.
    public init() throws { directory = try TemporaryDirectory() }

    /// The directory of its files.
    public var path: String { directory.path("") }

    /// Adds records, and returns when they are written.
    public func write(_ records: [Record], bootID: String = bootID) throws {
        try wait(for: beginToWrite(records, bootID: bootID))
    }

    /// Starts a process that adds records, and returns it.
    public func beginToWrite(_ records: [Record], bootID: String = bootID) throws -> Int32 {
        var text = ""
        for record in records {
            count += 1
            text += "__REALTIME_TIMESTAMP=\(1_767_358_800_000_000 + count)\n__MONOTONIC_TIMESTAMP=\(1000 + count)\n"
            text += "_BOOT_ID=\(bootID)\n"
            for field in record { text += "\(field.name)=\(field.value)\n" }
            text += "\n"
        }
        let output = "--output=\(directory.path("test.journal"))"
        let records = try directory.write("records.export", text)
        var arguments: [UnsafeMutablePointer<CChar>?] = []
        for argument in [Self.writer, "--split-mode=none", output, records] { arguments.append(strdup(argument)) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        // Its output is the number of records; its exit status shows errors.
        let quiet = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(quiet) }
        try SystemError.check(
            belfry_spawn(&process, Self.writer, &arguments, environ, true, [0, 1, quiet], 3), verb: "run",
            object: Self.writer)
        return process
    }

    /// Waits for the end of a process that writes records.
    public func wait(for process: Int32) throws {
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process, status == 0 else {
            throw SystemError(EIO, verb: "write", object: path)
        }
    }
}
