// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// The sockets of an address. They belong to the server until the object is released.
///
/// While the server does not accept, its own sockets refuse clients at once: a TCP port stays bound, so that nobody
/// else can get it, and does not listen; a Unix socket is closed, and its file removed. A socket of systemd cannot
/// refuse, because systemd listens on it too, and shutdown(2) would end that for good: there clients wait in the
/// kernel.
final class ServerSockets {
    private enum Sockets {
        /// Of systemd.
        case shared([OwnedDescriptor])
        case port(OwnedDescriptor, isListening: Bool)
        /// Nil while it refuses.
        case path(SocketFile?)
    }

    let address: ServerAddress
    private var sockets: Sockets
    private var sources: [AcceptSource] = []

    /// Binds the address, or receives the sockets of systemd.
    ///
    /// - Throws: why that is not possible.
    init(_ address: ServerAddress, _ descriptors: ServiceDescriptors) throws(SystemError) {
        self.address = address
        switch address {
        case .systemd(let name):
            let received = descriptors.receive(named: name)
            if received.isEmpty { throw SystemError(ENOENT, verb: "receive from systemd the socket", object: name) }
            for socket in received { try Self.prepare(socket, name) }
            sockets = .shared(received)
        case .path(let path): sockets = .path(try SocketFile(path))
        case .port(let port, let host):
            let bound = belfry_tcp_bind(host, port)
            try SystemError.check(bound, verb: "listen on", object: "\(address)")
            sockets = .port(OwnedDescriptor(owning: bound), isListening: false)
        }
    }

    isolated deinit { refuse() }

    /// Whether connections are accepted once `accept` was called; otherwise they wait in the kernel.
    var isEnabled = true { didSet { for source in sources { source.isEnabled = isEnabled } } }

    /// Listens and accepts. Nothing is accepted if it throws.
    func accept(
        on loop: MainEventLoop, onConnection: @escaping (Int32) -> Void, onError: @escaping (SystemError) -> Void
    ) throws(SystemError) {
        let listening: [Int32]
        switch sockets {
        case .shared(let received): listening = received.map(\.number)
        case .port(let socket, _):
            Self.setReuse(1, socket)
            guard listen(socket.number, SOMAXCONN) == 0 else { throw .last(verb: "listen on", object: "\(address)") }
            sockets = .port(socket, isListening: true)
            listening = [socket.number]
        case .path(let file):
            let file = if let file { file } else { try SocketFile("\(address)") }
            sockets = .path(file)
            listening = [file.descriptor]
        }
        do throws(SystemError) {
            for socket in listening {
                sources.append(try AcceptSource(socket, on: loop, onConnection: onConnection, onError: onError))
            }
        } catch {
            refuse()
            throw error
        }
        isEnabled = true
    }

    /// Accepts nothing any more. What waits in the kernel is accepted before, as far as the limit allows: it would be
    /// reset otherwise.
    func refuse() {
        if case .path(let file) = sockets { file?.remove() }
        if case .shared = sockets {} else { for source in sources { source.acceptWaiting() } }
        for source in sources { source.cancel() }
        sources = []
        switch sockets {
        case .shared: break
        case .port(let socket, let isListening):
            // In Linux it is then bound as before; one that does not listen would shut down its next connections.
            if isListening { shutdown(socket.number, Int32(SHUT_RDWR)) }
            Self.setReuse(0, socket)
            sockets = .port(socket, isListening: false)
        case .path(let file):
            if let file { close(file.descriptor) }
            sockets = .path(nil)
        }
    }

    /// With SO_REUSEADDR a port may have connections of a former process, and, as long as nobody listens on it, other
    /// processes may bind it too (ip(7)).
    private static func setReuse(_ value: Int32, _ socket: OwnedDescriptor) {
        var value = value
        setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func prepare(_ socket: OwnedDescriptor, _ name: String) throws(SystemError) {
        let isListening = sd_is_socket(socket.number, AF_UNSPEC, Int32(SOCK_STREAM.rawValue), 1)
        guard isListening > 0 else {
            throw SystemError(isListening < 0 ? isListening : EINVAL, verb: "accept on socket", object: name)
        }
        let flags = fcntl(socket.number, F_GETFL)
        guard flags >= 0, fcntl(socket.number, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw .last(verb: "accept on socket", object: name)
        }
    }
}
