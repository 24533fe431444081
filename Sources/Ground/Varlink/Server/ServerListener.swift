// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryLinux
internal import CBelfry
internal import Glibc

/// A listening socket, which accepts connections.
final class ServerListener {
    /// How many connections are accepted before others get their turn.
    private static let batch = 512
    /// How long no connection is accepted after the system ran out of descriptors or memory.
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
            // The client went away before it was accepted (accept(2)).
            case -ECONNABORTED, -EINTR: continue
            default:
                rest()
                return onError(SystemError(connection, verb: "accept on", object: "socket"))
            }
        }
    }

    /// Does not remove the file of the socket, as another process has the socket too.
    func keepFile() { file = nil }

    private func rest() {
        do throws(SystemError) {
            try timer?.fire(after: Self.pause)
            source?.isEnabled = false
        } catch {
            // Without a timer the source stays enabled: a busy loop is better than no connections.
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

/// A socket that this process bound to a path, and its file.
struct SocketFile {
    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64
    }

    let descriptor: Int32
    private let path: String
    private let identity: Identity?

    /// Binds and listens. A file on whose socket no process listens any more is replaced.
    init(_ address: VarlinkAddress, mode: UInt32?) throws(SystemError) {
        path = address.path
        guard address.isSupported else { throw SystemError(EPROTONOSUPPORT, verb: "listen on", object: path) }
        if address.isAbstract {
            descriptor = try Self.listen(path, mode: nil)
            identity = nil
            return
        }
        // Of two services that find the same abandoned file, neither may remove the other's new one. The lock file is never
        // removed, since another service may hold it.
        let lock = try Self.lock(path)
        defer { close(lock) }
        descriptor = try Self.listenReplacing(path, mode: mode)
        identity = Self.identity(of: path)
        belfry_mark_varlink_entrypoint(path)
    }

    /// Removes the file, unless it was replaced.
    func remove() {
        guard let identity, identity == Self.identity(of: path) else { return }
        unlink(path)
    }

    /// The file has its mode from the first moment, as a socket of systemd has: a client that comes between bind(2) and chmod(2)
    /// would be refused for good.
    private static func listen(_ path: String, mode: UInt32?) throws(SystemError) -> Int32 {
        let inherited = mode.map { umask(~$0 & 0o777) }
        defer { if let inherited { _ = umask(inherited) } }
        return try SystemError.check(belfry_unix_listen(path, SOMAXCONN), verb: "listen on", object: path)
    }

    private static func listenReplacing(_ path: String, mode: UInt32?) throws(SystemError) -> Int32 {
        do throws(SystemError) {
            return try listen(path, mode: mode)
        } catch {
            guard error.code == EADDRINUSE, try isAbandoned(path) else { throw error }
            if unlink(path) < 0 { throw SystemError.last(verb: "remove stale socket", object: path) }
            return try listen(path, mode: mode)
        }
    }

    /// Whether there is a socket on which no process listens (connect(2), ECONNREFUSED).
    ///
    /// - Throws: when the system failed to say, for example for lack of descriptors.
    private static func isAbandoned(_ path: String) throws(SystemError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, belfry_is_socket(status.st_mode) else { return false }
        let connected = belfry_unix_connect(path)
        guard connected < 0 else {
            close(connected)
            return false
        }
        let error = SystemError(connected, verb: "connect to", object: path)
        if error.isSystemFailure { throw error }
        return error.code == ECONNREFUSED
    }

    /// Locks a file beside the socket. Other users cannot open it: otherwise they could hold a lock, and so keep the service
    /// from starting. The kernel releases the lock when the process ends (flock(2)).
    private static func lock(_ path: String) throws(SystemError) -> Int32 {
        let lock = path + ".lock"
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = open(lock, flags, 0o600)
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .last(verb: "listen on", object: path) : .last(verb: "open", object: lock)
        }
        var status = stat()
        var problem: SystemError?
        if fstat(descriptor, &status) < 0 {
            problem = .last(verb: "look at", object: lock)
        } else if !belfry_is_regular(status.st_mode) || status.st_uid != geteuid() || status.st_mode & 0o077 != 0 {
            problem = SystemError(EPERM, verb: "use", object: lock)
        } else if flock(descriptor, LOCK_EX | LOCK_NB) < 0 {
            problem = .last(verb: "lock", object: lock)
        }
        guard let problem else { return descriptor }
        close(descriptor)
        throw problem
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
