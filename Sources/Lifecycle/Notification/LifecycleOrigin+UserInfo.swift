// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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
