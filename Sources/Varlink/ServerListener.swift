// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import BelfryEventLoop
internal import Glibc
internal import BelfryLinux

/// A listening socket, and the accepting of connections on it.
final class ServerListener {
    /// How many connections are accepted before others get their turn.
    private static let batch = 512
    /// How long accepting rests when the system has run out of descriptors or memory.
    private static let pause = Duration.milliseconds(250)

    private(set) var descriptor: Int32
    private var file: SocketFile?
    private var source: DescriptorEventSource?
    private var timer: TimerEventSource?

    init(_ address: VarlinkAddress, mode: UInt32?) throws(SystemError) {
        let file = try SocketFile(address, mode: mode)
        self.file = file
        descriptor = file.descriptor
    }

    init(activated descriptor: Int32) throws(SystemError) {
        let isListening = sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0)
        guard isListening > 0 else {
            throw SystemError(
                isListening < 0 ? isListening : EINVAL, verb: "listen on",
                object: "descriptor \(descriptor), which neither listens nor is connected")
        }
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) >= 0 else {
            throw SystemError.last(verb: "listen on", object: "descriptor \(descriptor)")
        }
        self.descriptor = descriptor
        file = nil
    }

    /// Whether the descriptor is a connection rather than a place to listen.
    static func isConnected(_ descriptor: Int32) -> Bool {
        guard sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 0, nil, 0) > 0 else { return false }
        // One that is bound, or not even that, does not listen either (getpeername(2), ENOTCONN).
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        return getpeername(descriptor, &address, &length) == 0
    }

    isolated deinit { close() }

    func start(
        on loop: MainEventLoop, onConnection: @escaping (Int32) -> Void, onError: @escaping (SystemError) -> Void
    ) throws(SystemError) {
        belfry_mark_varlink_socket(descriptor, "listen")
        belfry_refuse_descriptors(descriptor)
        timer = try loop.timer(after: .zero) { [unowned self] in source?.isEnabled = true }
        timer?.isEnabled = false
        source = try loop.source(descriptor: descriptor, .readable) { [unowned self] _ in
            accept(onConnection, onError)
        }
    }

    private func accept(_ onConnection: (Int32) -> Void, _ onError: (SystemError) -> Void) {
        for _ in 0..<Self.batch where descriptor >= 0 {
            let connection = belfry_accept(descriptor)
            switch connection {
            case 0...:
                belfry_mark_varlink_socket(connection, "server")
                onConnection(connection)
            case -EAGAIN: return
            // The client went away before we came to it, or a network error of its own (accept(2)).
            case -ECONNABORTED, -EINTR: continue
            default:
                rest()
                return onError(SystemError(connection, verb: "accept on", object: "socket"))
            }
        }
    }

    /// Leaves the file of the socket to whoever else has the socket.
    func leaveFile() { file = nil }

    private func rest() {
        do throws(SystemError) {
            try timer?.fire(after: Self.pause)
            source?.isEnabled = false
        } catch {
            // Without a timer the source stays on: a busy loop is better than a deaf one.
        }
    }

    func close() {
        guard descriptor >= 0 else { return }
        source = nil
        timer = nil
        file?.remove()
        Glibc.close(descriptor)
        descriptor = -1
    }
}
