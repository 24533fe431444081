// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation

/// A journald of a test's own: a socket that takes records in the native protocol, when it is asked to.
@MainActor
public final class StandInJournal {
    /// A record's fields.
    public typealias Record = [String: String]

    /// Where it listens.
    public let path: String
    private var descriptor: Int32 = -1

    /// Listens at `path`.
    public init(at path: String) throws {
        self.path = path
        try listen()
    }

    isolated deinit { stop() }

    /// Begins to listen, in place of whatever was there.
    public func listen() throws {
        unlink(path)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    /// Stops to listen. What it has not taken is lost, and its file stays.
    public func stop() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// The next record that is there; nil when there is none. One that came in a file is read if nobody can change it.
    public func take() -> Record? {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var control = [UInt64](repeating: 0, count: 8)
        var count = -1
        buffer.withUnsafeMutableBytes { bytes in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            control.withUnsafeMutableBytes { control in
                withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    header.msg_iov = part
                    header.msg_iovlen = 1
                    header.msg_control = control.baseAddress
                    header.msg_controllen = control.count
                    count = recvmsg(descriptor, &header, Int32(MSG_DONTWAIT))
                    if header.msg_controllen == 0 { control.baseAddress?.storeBytes(of: 0, as: Int.self) }
                }
            }
        }
        guard count >= 0 else { return nil }
        if count > 0 { return Self.parse(buffer[..<count]) }
        let file = control.withUnsafeBytes { $0.load(fromByteOffset: 16, as: Int32.self) }
        defer { close(file) }
        return Self.parse(Self.content(ofSealed: file)[...])
    }

    private static func content(ofSealed file: Int32) -> [UInt8] {
        let seals: Int32 = 1034  // F_GET_SEALS of fcntl(2), which Swift's Glibc lacks
        var status = stat()
        guard fcntl(file, seals) == 0xF, fstat(file, &status) == 0 else { return [] }
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        return pread(file, &content, content.count, 0) == content.count ? content : []
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> Record {
        var record: Record = [:]
        var rest = bytes
        while let end = rest.firstIndex(of: 10) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
                record[String(decoding: line[..<equals], as: UTF8.self)] =
                    String(decoding: line[(equals + 1)...], as: UTF8.self)
            } else {
                let count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                let value = rest.dropFirst(8).prefix(count)
                record[String(decoding: line, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
                rest = rest.dropFirst(8 + count + 1)
            }
        }
        return record
    }
}
