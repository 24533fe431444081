// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import BelfryEventLoop
public import BelfryLinux
internal import Glibc

/// Offers interfaces on sockets (UAPI.20), on the main thread's loop.
///
/// Calls of one client are handled in order, one after the other; clients do not wait for each other. The server checks
/// parameters against the description of the interface, and answers `org.varlink.service` itself. It reports problems
/// with clients to `onProblem`.
@MainActor  // in words, as in MainEventLoop
public final class VarlinkServer {
    /// The limits for clients. A lower limit of connections closes no existing connection. All other changes take
    /// effect at once.
    public var limits: VarlinkLimits { didSet { for connection in users.connections { connection.apply(limits) } } }
    /// Called with each problem with a client.
    public var onProblem: ((VarlinkProblem) -> Void)?

    let loop: MainEventLoop
    let writer: TurnWriter
    private let info: VarlinkServiceInfo
    private var interfaces: [UTF8Text: VarlinkInterface] = [:]
    private var methods: [UTF8Text: Method] = [:]
    private var listeners: [ServerListener] = []
    let users: ServerUsers

    private final class Method {
        let fields: [VarlinkInterfaceDescription.Field]
        let interface: VarlinkInterface
        let handler: VarlinkInterface.Handler?
        let upgrade: VarlinkInterface.Handler?

        init(_ name: String, _ fields: [VarlinkInterfaceDescription.Field], of interface: VarlinkInterface) {
            self.fields = fields
            self.interface = interface
            handler = interface.methods[name]
            upgrade = interface.upgrades[name]
        }
    }

    /// Makes a server that does not listen yet.
    ///
    /// - Throws: when the loop accepts no more event sources.
    public init(
        _ info: VarlinkServiceInfo, on loop: MainEventLoop, limits: VarlinkLimits = VarlinkLimits()
    ) throws(SystemError) {
        self.info = info
        self.loop = loop
        self.limits = limits
        writer = try TurnWriter(on: loop)
        users = try ServerUsers(on: loop)
        // The text is constant, and a test parses it.
        if let service = try? ServiceInterface.interface(of: self) { add(service) }
    }

    isolated deinit {
        for connection in users.connections { connection.serverEnded() }
        close()
    }

    /// Offers an interface. It replaces an interface of the same name.
    public func add(_ interface: VarlinkInterface) {
        if let old = interfaces[UTF8Text(interface.name)] {
            for name in old.description.methods.keys { methods[UTF8Text("\(old.name).\(name)")] = nil }
        }
        interfaces[UTF8Text(interface.name)] = interface
        for (name, fields) in interface.description.methods {
            methods[UTF8Text("\(interface.name).\(name)")] = Method(name, fields, of: interface)
        }
    }

    /// Listens on an address (`unix:/path`, `/path`, `unix:@abstract`). `mode` is set on the socket file when given.
    ///
    /// A socket file is replaced if no process listens on it any more. A file that is not a socket is never replaced.
    ///
    /// - Throws: for example «unable to listen on '…': Address already in use (EADDRINUSE)».
    public func listen(on address: String, mode: UInt32? = nil) throws(SystemError) {
        try start(ServerListener(VarlinkAddress(address), mode: mode))
    }

    /// Takes over a socket from sd_listen_fds(3), which listens already or is connected (UAPI.20, «Socket Activation»).
    /// It is closed with the server. Its file is not removed.
    ///
    /// - Throws: `EBADF` if the descriptor is not open, `EINVAL` if it is not a Unix stream socket.
    public func listen(onActivated descriptor: Int32) throws(SystemError) {
        if ServerListener.isConnected(descriptor) { return try serve(descriptor) }
        try start(ServerListener(activated: descriptor))
    }

    /// Takes over a connected Unix stream socket.
    ///
    /// - Throws: `EBADF` if the descriptor is not open. A later failure closes the connection.
    public func serve(_ descriptor: Int32) throws(SystemError) {
        try SystemError.check(
            fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) < 0 ? -errno : 0,
            verb: "serve on", object: "descriptor \(descriptor)")
        admit(descriptor)
    }

    /// How many clients are connected.
    public var connectionCount: Int { users.connectionCount }

    /// Writes what is queued without waiting for the end of the turn, as far as the clients' buffers allow.
    public func flush() { writer.flush() }

    /// Writes replies that have waited too long. Normally replies are written when all ready events have been handled.
    /// Call this after replies from an event source that may keep the loop busy.
    package func keepUp() {
        writer.keepUp()
    }

    /// Stops listening and closes all connections, after a last attempt to write what is queued. Socket files that the server
    /// made are removed.
    public func close() {
        for listener in listeners { listener.close() }
        listeners = []
        writer.flush()
        for connection in users.connections { connection.close() }
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
            report(.system(error), nil)
        }
        listeners.append(listener)
    }

    // Connections

    private func admit(_ descriptor: Int32) {
        let peer = VarlinkPeer(of: descriptor) ?? VarlinkPeer(pid: 0, uid: .max, gid: .max)
        if let refusal = refusal(of: peer.uid) {
            Glibc.close(descriptor)
            return report(refusal, peer)
        }
        var size = Int32(clamping: limits.sendBuffer)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let connection = ServerConnection(descriptor, peer: peer, server: self)
        users.add(connection)
        do throws(SystemError) {
            try connection.start()
        } catch {
            report(.system(error), peer)
            connection.close()
        }
    }

    private func refusal(of uid: UInt32) -> VarlinkProblem.Kind? {
        let isOwner = uid == 0 || uid == geteuid()
        let limit = limits.connections + (isOwner ? limits.reservedConnections : 0)
        if users.connectionCount >= limit { return .tooManyConnections(limit: limits.connections) }
        guard users.connectionCount(of: uid) < limits.connectionsPerUser else {
            return .tooManyConnectionsOfUser(limit: limits.connectionsPerUser)
        }
        return nil
    }

    func forget(_ connection: ServerConnection) { users.remove(connection) }

    /// Counts a change of what a user's connections hold, and closes the connection that holds most if that is too much.
    func count(_ change: (own: Int, shared: Int), of user: ServerUser) {
        users.count(change, of: user, writer.shared, limits)
    }

    func report(_ kind: VarlinkProblem.Kind, _ peer: VarlinkPeer?) { onProblem?(VarlinkProblem(kind, peer: peer)) }

    // Calls

    /// Calls the method's handler.
    func dispatch(_ request: VarlinkRequest) {
        guard let method = methods[UTF8Text(request.method)] else { return request.fail(unknown(request.method)) }
        guard let handler = request.wantsUpgrade ? method.upgrade : method.handler else {
            let isUpgrade = !request.wantsUpgrade && method.upgrade != nil
            return request.fail(isUpgrade ? .expectedUpgrade : .methodNotImplemented(request.method))
        }
        if let parameter = method.interface.description.mismatch(request.parameters, with: method.fields) {
            return request.fail(.invalidParameter(parameter))
        }
        handler(request)
    }

    private func unknown(_ method: String) -> VarlinkServiceError {
        guard let dot = method.utf8.lastIndex(of: UInt8(ascii: ".")) else { return .interfaceNotFound(method) }
        let interface = String(method[..<dot])
        return interfaces[UTF8Text(interface)] == nil ? .interfaceNotFound(interface) : .methodNotFound(method)
    }

    var infoParameters: JSONObject {
        let names = interfaces.keys.map(\.string).filter { $0 != ServiceInterface.name }.sorted()
        return [
            "vendor": .string(info.vendor), "product": .string(info.product), "version": .string(info.version),
            "url": .string(info.url), "interfaces": .array(([ServiceInterface.name] + names).map { .string($0) }),
        ]
    }

    func text(of interface: String) -> String? { interfaces[UTF8Text(interface)]?.text }
}

/// The properties of a service (`org.varlink.service.GetInfo`).
public nonisolated struct VarlinkServiceInfo: Sendable, Equatable {
    /// Its vendor.
    public var vendor: String
    /// Its name.
    public var product: String
    /// Its version.
    public var version: String
    /// The address of its documentation.
    public var url: String

    /// A service with these properties.
    public init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
