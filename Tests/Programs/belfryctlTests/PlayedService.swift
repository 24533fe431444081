// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc
import TestSupport
import Testing

/// A service whose part the test itself plays, call by call.
final class PlayedService {
    let path: String
    let folder: TemporaryDirectory
    private let listener: Int32
    private var connections: [Int32] = []

    init(at name: String = "socket") throws {
        folder = try TemporaryDirectory()
        path = folder.path(name)
        // Its directory.
        try folder.write("\(name).x", "")
        listener = belfry_unix_listen(path, 8)
    }

    deinit { for descriptor in connections + [listener] { close(descriptor) } }

    /// The next connection.
    func accept() throws -> Int32 {
        wait(for: listener)
        let connection = belfry_accept(listener)
        try #require(connection >= 0)
        connections.append(connection)
        return connection
    }

    /// The next connection, after its first call.
    func acceptCall() throws -> Int32 {
        let connection = try accept()
        _ = try call(on: connection)
        return connection
    }

    /// The next call on a connection.
    func call(on connection: Int32) throws -> String {
        var call: [UInt8] = []
        while call.last != 0 {
            wait(for: connection)
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(connection, &bytes, bytes.count, 0)
            try #require(count > 0)
            call += bytes[..<count]
        }
        return String(decoding: call.dropLast(), as: UTF8.self)
    }

    func reply(_ connection: Int32, _ text: String) {
        send(connection, text + "\0", text.utf8.count + 1, Int32(MSG_NOSIGNAL))
    }

    private func wait(for descriptor: Int32) {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&state, 1, 60_000)
    }
}
