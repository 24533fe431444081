// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import CBelfry
import Glibc

/// Answers every call with the same bytes.
final class RawService {
    private let loop: MainEventLoop
    private let answer: [UInt8]
    private var sources: [Int32: DescriptorEventSource] = [:]

    init(_ path: String, answering file: String, on loop: MainEventLoop) throws {
        self.loop = loop
        answer = Self.contents(of: file)
        let listener = belfry_unix_listen(path, 16)
        try watch(listener) { [unowned self] in
            let peer = belfry_accept(listener)
            _ = fcntl(peer, F_SETFL, fcntl(peer, F_GETFL) & ~O_NONBLOCK)
            try? watch(peer) { [unowned self] in reply(on: peer) }
        }
    }

    private func watch(_ descriptor: Int32, _ body: @escaping () -> Void) throws {
        sources[descriptor] = try loop.source(descriptor: descriptor, .readable) { _ in body() }
    }

    private func reply(on peer: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(peer, &buffer, buffer.count)
        guard count > 0 else {
            sources.removeValue(forKey: peer)?.cancel()
            close(peer)
            return
        }
        for _ in buffer[..<count].filter({ $0 == 0 }) {
            var rest = answer[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if written <= 0 { break }
                rest = rest.dropFirst(written)
            }
        }
    }

    private static func contents(of file: String) -> [UInt8] {
        let descriptor = open(file, O_RDONLY)
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { contents += buffer[..<count] }
        return contents
    }
}

/// Splits a stream into lines.
struct LineReader {
    private let descriptor: Int32
    private var rest: [UInt8] = []
    private(set) var isAtEnd = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The complete lines after one more read.
    mutating func lines() -> [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        isAtEnd = count <= 0
        if count > 0 { rest += buffer[..<count] }
        var lines: [String] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
        return lines
    }
}
