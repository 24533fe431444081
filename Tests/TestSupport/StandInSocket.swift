// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation

/// A Unix datagram socket that stands in for the service manager (`$NOTIFY_SOCKET`) or for journald, and is read datagram by
/// datagram.
@MainActor
public final class StandInSocket {
    /// A path, or `@` and an abstract name.
    public let path: String
    private var descriptor: Int32 = -1
    private var received: [Int32] = []
    /// Datagrams that `answerBarriers` has read, with their descriptors.
    private var readAhead: [(bytes: ArraySlice<UInt8>, descriptors: [Int32])] = []

    /// Listens at `path`.
    public init(at path: String) throws {
        self.path = path
        try listen()
    }

    isolated deinit { stop() }

    /// Begins to listen, and replaces an existing file.
    public func listen() throws {
        unlink(path)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        if path.hasPrefix("@") { address.sun_path.0 = 0 }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.utf8.count
        let size = path.hasPrefix("@") ? socklen_t(length) : socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        guard bound == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    /// Closes the socket. Unread datagrams are lost, and the file of the socket remains.
    public func stop() {
        _ = closeDescriptors()
        for descriptor in readAhead.flatMap(\.descriptors) { close(descriptor) }
        readAhead = []
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Whether a datagram can be read.
    public var hasDatagram: Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !readAhead.isEmpty || poll(&ready, 1, 0) > 0
    }

    /// Closes the descriptors that came with the last datagram.
    ///
    /// - Returns: the number of descriptors.
    public func closeDescriptors() -> Int {
        defer { received = [] }
        for descriptor in received { close(descriptor) }
        return received.count
    }

    /// The next datagram; nil when there is none. Its descriptors are in `received`.
    private func receive(_ flags: Int32) -> ArraySlice<UInt8>? {
        _ = closeDescriptors()
        guard readAhead.isEmpty else {
            let next = readAhead.removeFirst()
            received = next.descriptors
            return next.bytes
        }
        return receiveFromSocket(flags)
    }

    /// Closes the descriptors of barriers, as the service manager does, so that a process that ends does not wait for it.
    /// The messages themselves can still be read.
    public func answerBarriers() {
        let present = received
        received = []
        while let bytes = receiveFromSocket(Int32(MSG_DONTWAIT)) {
            if bytes.elementsEqual("BARRIER=1".utf8) { _ = closeDescriptors() }
            readAhead.append((bytes, received))
            received = []
        }
        received = present
    }

    private func receiveFromSocket(_ flags: Int32) -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        // A struct cmsghdr, and descriptors behind it (cmsg(3)).
        var control = [UInt64](repeating: 0, count: 512)
        let count = buffer.withUnsafeMutableBytes { bytes in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            return control.withUnsafeMutableBytes { control in
                withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    header.msg_iov = part
                    header.msg_iovlen = 1
                    header.msg_control = control.baseAddress
                    header.msg_controllen = control.count
                    let count = recvmsg(descriptor, &header, flags)
                    if header.msg_controllen == 0 { control.baseAddress?.storeBytes(of: 0, as: Int.self) }
                    return count
                }
            }
        }
        guard count >= 0 else { return nil }
        let length = Int(control[0])
        control.withUnsafeBytes { bytes in
            for offset in stride(from: 16, to: max(length, 16), by: 4) {
                received.append(bytes.load(fromByteOffset: offset, as: Int32.self))
            }
        }
        return buffer[..<count]
    }
}

/// Messages to the service manager (sd_notify(3)).
extension StandInSocket {
    /// The assignments of the next message in their order; empty if there is none within 30 s.
    public func next() -> [String] {
        String(decoding: receive(0) ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The next message that is not about stored descriptors.
    public func nextOfLife() -> [String] {
        while true {
            let message = next()
            if message.first?.hasPrefix("FDSTORE") != true { return message }
        }
    }

    /// Reads messages until one begins with `assignment`.
    ///
    /// - Returns: whether there was one.
    public func wait(for assignment: String) -> Bool { messages(until: assignment).last?.isEmpty == false }

    /// The messages up to and including the first that begins with `assignment`; all messages if none does.
    public func messages(until assignment: String) -> [[String]] {
        var messages: [[String]] = []
        repeat { messages.append(next()) } while messages.last?.isEmpty == false && messages.last?.first != assignment
        return messages
    }
}

/// Records for journald, in its native protocol.
extension StandInSocket {
    /// The fields of a record.
    public typealias Record = [String: String]

    /// The next record; nil when there is none. A record in a file is read if the file is sealed.
    public func record() -> Record? {
        guard let bytes = receive(Int32(MSG_DONTWAIT)) else { return nil }
        let content = bytes.isEmpty ? received.first.map { Self.content(ofSealed: $0)[...] } ?? [] : bytes
        return Dictionary(JournalFixture.record(content).map { ($0.name, $0.value) }) { $1 }
    }

    private static func content(ofSealed file: Int32) -> [UInt8] {
        let seals: Int32 = 1034  // F_GET_SEALS of fcntl(2), which Swift's Glibc lacks
        var status = stat()
        guard fcntl(file, seals) == 0xF, fstat(file, &status) == 0 else { return [] }
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        return pread(file, &content, content.count, 0) == content.count ? content : []
    }
}
