// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// A listening socket, which accepts connections.
final class ServerListener {
    private(set) var descriptor: Int32
    private var file: SocketFile?
    private var source: AcceptSource?

    init(_ address: VarlinkAddress, mode: UInt32?) throws(SystemError) {
        guard address.isSupported else { throw SystemError(EPROTONOSUPPORT, verb: "listen on", object: address.path) }
        let file = try SocketFile(address.path, mode: mode)
        if !address.isAbstract { belfry_mark_varlink_entrypoint(address.path) }
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
        try FrameStream.makeNonblocking(descriptor, verb: "listen on")
        self.descriptor = descriptor
        file = nil
    }

    /// Whether the descriptor is a connection rather than a place to listen.
    static func isConnected(_ descriptor: Int32) -> Bool {
        guard sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 0, nil, 0) > 0 else { return false }
        // A socket that neither listens nor is connected fails here (getpeername(2), ENOTCONN).
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
        source = try AcceptSource(descriptor, on: loop) { connection in
            belfry_mark_varlink_socket(connection, "server")
            onConnection(connection)
        } onError: {
            onError($0)
        }
    }

    /// Does not remove the file of the socket, as another process has the socket too.
    func keepFile() { file = nil }

    func close() {
        guard descriptor >= 0 else { return }
        source?.cancel()
        source = nil
        file?.remove()
        Glibc.close(descriptor)
        descriptor = -1
    }
}
