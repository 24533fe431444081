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

    init(_ path: String, mode: UInt32?) throws(SystemError) {
        let file = try SocketFile(path, mode: mode)
        if !path.hasPrefix("@") { belfry_mark_varlink_entrypoint(path) }
        self.file = file
        descriptor = file.descriptor
    }

    init(activated descriptor: Int32) throws(SystemError) {
        let isListening = sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0)
        guard isListening > 0 else {
            throw SystemError(
                isListening < 0 ? isListening : EINVAL, verb: "listen on",
                object: "descriptor \(descriptor), which does not listen")
        }
        try FrameStream.makeNonblocking(descriptor, verb: "listen on")
        self.descriptor = descriptor
        file = nil
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
