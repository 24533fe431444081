// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Who or what caused a notification.
public nonisolated indirect enum LifecycleOrigin: Sendable, Equatable {
    /// The service itself.
    case service
    /// A signal.
    case signal(SignalOrigin)
    /// A program on the other side of a socket.
    case peer(PeerOrigin)

    /// The word that stands for the kind in the journal and on the socket.
    public var kind: String {
        switch self {
        case .service: "service"
        case .signal: "signal"
        case .peer: "socket"
        }
    }
}

/// A signal, with what the kernel says of its sender (sigaction(2), signalfd(2)).
public nonisolated struct SignalOrigin: Sendable, Equatable {
    /// Where a signal comes from.
    public enum Sender: String, Sendable, CaseIterable {
        /// A process that we can see.
        case process
        /// The kernel, as the terminal's interrupt key does.
        case kernel
        /// A process outside of our pid namespace, such as one of the host of a container.
        case outside
    }

    /// The signal's number on this machine.
    public let number: Int32
    /// The signal's name: `SIGTERM`, `SIGRTMIN+5`.
    public let name: String
    /// Where it comes from.
    public let sender: Sender
    /// The sending process; 0 when it lives outside our pid namespace, or the kernel itself sent the signal.
    public let pid: Int32
    /// The real user id of the sender.
    public let uid: UInt32
    /// The systemd unit of the sender, when it could still be found.
    public let unit: String?
    /// The name of the sender's command, when it could still be found.
    public let command: String?
    /// The integer sent with it (sigqueue(3)); 0 when there was none.
    public let value: Int32

    /// A delivery with what is known of its sender. One without a process comes from outside, unless `sender` says
    /// otherwise.
    public init(
        number: Int32, name: String, pid: Int32, uid: UInt32, unit: String? = nil, command: String? = nil,
        value: Int32 = 0, sender: Sender? = nil
    ) {
        self.number = number
        self.name = name
        self.sender = sender ?? (pid > 0 ? .process : .outside)
        self.pid = pid
        self.uid = uid
        self.unit = unit
        self.command = command
        self.value = value
    }
}

/// The program at the other end of a Unix socket (`SO_PEERCRED`, unix(7)).
public nonisolated struct PeerOrigin: Sendable, Equatable {
    /// Its process id when it connected; 0 when it lives outside our pid namespace.
    public let pid: Int32
    /// Its user id when it connected.
    public let uid: UInt32
    /// Its systemd unit, when it could still be found.
    public let unit: String?
    /// The name of its command, when it could still be found.
    public let command: String?

    /// A program with what is known of it.
    public init(pid: Int32, uid: UInt32, unit: String? = nil, command: String? = nil) {
        self.pid = pid
        self.uid = uid
        self.unit = unit
        self.command = command
    }
}

/// An origin that travels as user info, under the names that it has on the socket.
nonisolated extension LifecycleOrigin {
    /// `kind`, and for a signal or a peer who it was.
    package var userInfo: UserInfo {
        var info: UserInfo = ["kind": .string(kind)]
        func add(_ pid: Int32, _ uid: UInt32, _ unit: String?, _ command: String?) {
            info["pid"] = .int(Int64(pid))
            info["uid"] = .int(Int64(uid))
            info["unit"] = unit.map { .string($0) }
            info["command"] = command.map { .string($0) }
        }
        switch self {
        case .service: break
        case .signal(let signal):
            info["signal"] = .string(signal.name)
            info["number"] = .int(Int64(signal.number))
            info["value"] = .int(Int64(signal.value))
            if signal.sender != .process { info["sender"] = .string(signal.sender.rawValue) }
            add(signal.pid, signal.uid, signal.unit, signal.command)
        case .peer(let peer): add(peer.pid, peer.uid, peer.unit, peer.command)
        }
        return info
    }

    /// Reads what `userInfo` gives; nil when something that must be there is not.
    package init?(userInfo info: UserInfo) {
        let kind = info.text("kind")
        if kind == Self.service.kind {
            self = .service
            return
        }
        guard let pid: Int32 = info.number("pid"), let uid: UInt32 = info.number("uid") else { return nil }
        let unit = info.text("unit")
        let command = info.text("command")
        if kind == "socket" {
            self = .peer(PeerOrigin(pid: pid, uid: uid, unit: unit, command: command))
        } else if kind == "signal", let name = info.text("signal"), let number: Int32 = info.number("number") {
            self = .signal(
                SignalOrigin(
                    number: number, name: name, pid: pid, uid: uid, unit: unit, command: command,
                    value: info.number("value") ?? 0,
                    sender: info.text("sender").flatMap { SignalOrigin.Sender(rawValue: $0) }))
        } else {
            return nil
        }
    }
}
