// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Who or what caused a notification.
public nonisolated indirect enum LifecycleOrigin: Sendable, Equatable {
    /// The service itself.
    case service
    /// A signal.
    case signal(SignalOrigin)
    /// A program at the other end of a socket.
    case peer(PeerOrigin)

    /// The word for the kind in the journal and on the socket.
    public var kind: String {
        switch self {
        case .service: "service"
        case .signal: "signal"
        case .peer: "socket"
        }
    }
}

/// A signal with its sender (sigaction(2), signalfd(2)).
public nonisolated struct SignalOrigin: Sendable, Equatable {
    /// The kind of sender.
    public enum Sender: String, Sendable, CaseIterable {
        /// A process in the own pid namespace.
        case process
        /// The kernel, for example because of the terminal's interrupt key.
        case kernel
        /// A process outside the own pid namespace, such as one on the host of a container.
        case outside
    }

    /// The signal's number on this machine.
    public let number: Int32
    /// The signal's name: `SIGTERM`, `SIGRTMIN+5`.
    public let name: String
    /// The kind of sender.
    public let sender: Sender
    /// The sending process; 0 if it is outside the own pid namespace, or if the kernel sent the signal.
    public let pid: Int32
    /// The real user id of the sender.
    public let uid: UInt32
    /// The user who has logged in and become root, such as by sudo(8); nil if `uid` is another user, if no login has
    /// started the process, or if the kernel does not know.
    public let loginUID: UInt32?
    /// The systemd unit of the sender, if it could be determined.
    public let unit: String?
    /// The name of the sender's command, if it could be determined.
    public let command: String?
    /// The integer that was sent with it (sigqueue(3)); 0 if there was none.
    public let value: Int32

    /// A signal with its sender. If `sender` is nil, a signal without a process id comes from `outside`.
    public init(
        number: Int32, name: String, pid: Int32, uid: UInt32, loginUID: UInt32? = nil, unit: String? = nil,
        command: String? = nil, value: Int32 = 0, sender: Sender? = nil
    ) {
        self.number = number
        self.name = name
        self.sender = sender ?? (pid > 0 ? .process : .outside)
        self.pid = pid
        self.uid = uid
        self.loginUID = loginUID
        self.unit = unit
        self.command = command
        self.value = value
    }
}

/// The program at the other end of a Unix socket (`SO_PEERCRED`, unix(7)).
public nonisolated struct PeerOrigin: Sendable, Equatable {
    /// Its process id when it connected; 0 if it is outside the own pid namespace.
    public let pid: Int32
    /// Its user id when it connected.
    public let uid: UInt32
    /// The user who has logged in and become root, such as by sudo(8); nil if `uid` is another user, if no login has
    /// started the process, or if the kernel does not know.
    public let loginUID: UInt32?
    /// Its systemd unit, if it could be determined.
    public let unit: String?
    /// The name of its command, if it could be determined.
    public let command: String?

    /// A program.
    public init(
        pid: Int32, uid: UInt32, loginUID: UInt32? = nil, unit: String? = nil, command: String? = nil
    ) {
        self.pid = pid
        self.uid = uid
        self.loginUID = loginUID
        self.unit = unit
        self.command = command
    }
}

/// An origin as user info, with the keys that it has on the socket.
nonisolated extension LifecycleOrigin {
    /// `kind`, and for a signal or a peer the sender.
    package var userInfo: UserInfo {
        var info: UserInfo = ["kind": .string(kind)]
        func add(_ pid: Int32, _ uid: UInt32, _ loginUID: UInt32?, _ unit: String?, _ command: String?) {
            info["pid"] = .int(Int64(pid))
            info["uid"] = .int(Int64(uid))
            info["loginUid"] = loginUID.map { .int(Int64($0)) }
            info["unit"] = unit.map { .string($0) }
            info["command"] = command.map { .string($0) }
        }
        switch self {
        case .service: break
        case .signal(let signal):
            info["signal"] = .string(signal.name)
            info["number"] = .int(Int64(signal.number))
            add(signal.pid, signal.uid, signal.loginUID, signal.unit, signal.command)
            if signal.sender != .process { info["sender"] = .string(signal.sender.rawValue) }
            info["value"] = .int(Int64(signal.value))
        case .peer(let peer): add(peer.pid, peer.uid, peer.loginUID, peer.unit, peer.command)
        }
        return info
    }

    /// Decodes an origin; nil if a required value is missing.
    package init?(userInfo info: UserInfo) {
        let kind = info.text("kind")
        if kind == Self.service.kind {
            self = .service
            return
        }
        guard let pid: Int32 = info.number("pid"), let uid: UInt32 = info.number("uid") else { return nil }
        let loginUID: UInt32? = info.number("loginUid")
        let unit = info.text("unit")
        let command = info.text("command")
        if kind == "socket" {
            self = .peer(PeerOrigin(pid: pid, uid: uid, loginUID: loginUID, unit: unit, command: command))
        } else if kind == "signal", let name = info.text("signal"), let number: Int32 = info.number("number") {
            self = .signal(
                SignalOrigin(
                    number: number, name: name, pid: pid, uid: uid, loginUID: loginUID, unit: unit, command: command,
                    value: info.number("value") ?? 0,
                    sender: info.text("sender").flatMap { SignalOrigin.Sender(rawValue: $0) }))
        } else {
            return nil
        }
    }
}
