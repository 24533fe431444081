// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import BelfryEventLoop
import Glibc
import BelfryLinux
import Varlink

/// A client that writes and reads raw bytes.
final class Peer {
    private(set) var descriptor: Int32
    private var frames = VarlinkFrameReader(limit: 64 << 20)
    private(set) var received: [String] = []
    private(set) var isAtEnd = false

    init(_ path: String) throws(SystemError) {
        descriptor = try SystemError.check(belfry_unix_connect(path), verb: "connect to", object: path)
    }

    isolated deinit { close() }

    /// Writes all bytes; they must fit into the buffer of the kernel.
    func write(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        let count = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        precondition(count == bytes.count, "wrote \(count) of \(bytes.count)")
    }

    func write(_ call: VarlinkCall) { write(call.message.array) }

    func write(_ text: String) { write(Array(text.utf8) + [0]) }

    /// Reads what is available.
    func read() {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while descriptor >= 0, !isAtEnd {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EAGAIN { break }
            isAtEnd = count <= 0
            if count > 0 { buffer[..<count].withUnsafeBytes { frames.append($0) } }
        }
        while let frame = try? frames.next() { received.append(String(decoding: frame, as: UTF8.self)) }
    }

    func stopWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }
}

nonisolated extension JSONWriter {
    /// A copy of what was written.
    var array: [UInt8] { Array(bytes) }
}
