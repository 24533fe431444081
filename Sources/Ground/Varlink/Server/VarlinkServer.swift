// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import CBelfry
internal import Glibc

/// Offers interfaces on sockets (UAPI.20), on the main thread's loop.
///
/// Calls of one client are handled in order, one after the other; clients do not wait for each other. The server checks
/// parameters against the description of the interface, and answers `org.varlink.service` itself. It reports problems
/// with clients to `onProblem`.
@MainActor  // see MainEventLoop
package final class VarlinkServer {
    /// The limits for clients. A lower limit of connections closes no existing connection. All other changes take
    /// effect at once.
    package var limits: VarlinkLimits {
        get { users.limits }
        set { users.limits = newValue }
    }

    private let loop: MainEventLoop
    let writer: TurnWriter
    private let interfaces: InterfaceTable
    private let users: ServerUsers
    private let isMember: (VarlinkPeer) -> Bool
    private var listeners: [ServerListener] = []

    /// Makes a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - info: what it says about itself.
    ///   - loop: the loop of the main thread.
    ///   - limits: the limits for clients.
    ///   - onProblem: called with each problem with a client.
    ///   - isMember: whether a client that has just connected counts as a member of the group of the limits anyway.
    /// - Throws: when the loop accepts no more event sources.
    package init(
        _ info: VarlinkServiceInfo, on loop: MainEventLoop, limits: VarlinkLimits = VarlinkLimits(),
        onProblem: @escaping (VarlinkProblem) -> Void = { _ in },
        isMember: @escaping (VarlinkPeer) -> Bool = { _ in false }
    ) throws(SystemError) {
        self.loop = loop
        self.isMember = isMember
        interfaces = InterfaceTable(info)
        writer = try TurnWriter(on: loop)
        users = try ServerUsers(on: loop, writer, limits, onProblem)
    }

    isolated deinit { close() }

    /// Offers an interface. It replaces an interface of the same name.
    package func add(_ interface: VarlinkInterface) { interfaces.add(interface) }

    /// Listens on a path, or on `@` and the name of an abstract socket. `mode` is set on the socket file when given.
    ///
    /// A socket file is replaced if no process listens on it any more. A file that is not a socket is never replaced.
    ///
    /// - Throws: for example «unable to listen on '…': Address already in use (EADDRINUSE)».
    package func listen(on path: String, mode: UInt32? = nil) throws(SystemError) {
        try start(ServerListener(path, mode: mode))
    }

    /// Takes over a socket that listens already, which is closed with the server. Its file is not removed.
    ///
    /// - Throws: `EBADF` if the descriptor is not open, `EINVAL` if it is not a Unix stream socket that listens.
    package func listen(onActivated descriptor: Int32) throws(SystemError) {
        try start(ServerListener(activated: descriptor))
    }

    /// How many clients are connected.
    package var connectionCount: Int { users.connectionCount }

    /// Writes what is queued without waiting for the end of the turn, as far as the clients' buffers allow.
    package func flush() { writer.flush() }

    /// Does work, and writes at once the replies that it has sent and those that wait; while calls of clients are being
    /// handled, together with what these send.
    package func writeAtOnce(_ work: () -> Void) { writer.writeAtOnce(work) }

    /// Writes what waits now, also while calls of clients are being handled. None of them goes on before this returns.
    package func writeNow() { writer.writeNow() }

    /// Stops listening and closes all connections, after a last attempt to write what is queued. Socket files that the
    /// server made are removed.
    package func close() {
        for listener in listeners { listener.close() }
        listeners = []
        writer.write()
        for connection in users.connections { connection.close() }
        writer.releaseStreams()
    }

    /// The sockets that it listens on. The server still owns them.
    package var listeningDescriptors: [Int32] { listeners.map(\.descriptor) }

    /// Does not remove the files of its sockets, as another process has the sockets too.
    package func keepFiles() {
        for listener in listeners { listener.keepFile() }
    }

    private func start(_ listener: ServerListener) throws(SystemError) {
        try listener.start(on: loop) { [unowned self] descriptor in
            admit(descriptor)
        } onError: { [unowned self] error in
            users.report(.system(error), nil)
        }
        listeners.append(listener)
    }

    // Connections

    private func admit(_ descriptor: Int32) {
        var peer = VarlinkPeer(of: descriptor) ?? VarlinkPeer(pid: 0, uid: .max, gid: .max)
        // The process is looked up by its id first: if it still runs then, no other process had the id meanwhile.
        peer.isKnown = isMember(peer) && belfry_peer_runs(descriptor)
        let kind = ClientKind(peer, group: limits.group)
        if let refusal = limits.refusal(of: kind, open: users.connections(of: peer.uid)) {
            Glibc.close(descriptor)
            return users.report(refusal, peer)
        }
        var size = Int32(clamping: limits.sendBuffer)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let connection = VarlinkConnection(descriptor, peer: peer, kind, of: users, calling: interfaces)
        users.add(connection)
        do throws(SystemError) {
            try connection.start()
        } catch {
            users.report(.system(error), peer)
            connection.close()
        }
    }
}

/// The properties of a service (`org.varlink.service.GetInfo`).
package nonisolated struct VarlinkServiceInfo: Sendable, Equatable {
    /// Its vendor.
    package var vendor: String
    /// Its name.
    package var product: String
    /// Its version.
    package var version: String
    /// The address of its documentation.
    package var url: String

    /// A service with these properties.
    package init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
