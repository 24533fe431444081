// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import BelfryListeners
internal import Varlink

/// A notification as JSON, in the shape that the interface declares. It is written for every post, and so at once, without
/// an object that would be thrown away.
nonisolated extension JSONWriter {
    mutating func write(_ notification: LifecycleNotification, bootID: String) {
        writeBeginning(of: notification)
        writeCommon(of: notification, bootID: bootID)
        writeEnd(of: notification)
    }

    @inline(__always)
    mutating func writeBeginning(of notification: LifecycleNotification) {
        write(raw: "{\"sequence\":")
        write(Int64(notification.sequence))
    }

    /// What those have in common that are posted under the same name, in the same state, at the same time, by the same.
    mutating func writeCommon(of notification: LifecycleNotification, bootID: String) {
        write(raw: ",\"name\":")
        write(notification.name.rawValue)
        write(raw: ",\"state\":")
        write(notification.state.rawValue)
        write(raw: ",\"previousState\":")
        write(notification.previousState.rawValue)
        write(raw: ",\"realtimeUsec\":")
        write(Int64(notification.time.realtimeUsec))
        write(raw: ",\"monotonicUsec\":")
        write(Int64(notification.time.monotonicUsec))
        write(raw: ",\"bootId\":")
        write(bootID)
        write(raw: ",\"origin\":")
        write(notification.origin)
        write(raw: ",\"userInfo\":")
    }

    @inline(__always)
    mutating func writeEnd(of notification: LifecycleNotification) {
        write(notification.userInfo)
        write(raw: "}")
    }

    private mutating func write(_ origin: LifecycleOrigin) {
        write(raw: "{\"kind\":")
        write(origin.kind)
        switch origin {
        case .service: break
        case .signal(let signal):
            write(raw: ",\"signal\":")
            write(signal.name)
            writeProcess(signal.pid, signal.uid, signal.unit, signal.command)
            if signal.sender != .process {
                write(raw: ",\"sender\":")
                write(signal.sender.rawValue)
            }
            write(raw: ",\"value\":")
            write(Int64(signal.value))
        case .peer(let peer): writeProcess(peer.pid, peer.uid, peer.unit, peer.command)
        }
        write(raw: "}")
    }

    private mutating func writeProcess(_ pid: Int32, _ uid: UInt32, _ unit: String?, _ command: String?) {
        write(raw: ",\"pid\":")
        write(Int64(pid))
        write(raw: ",\"uid\":")
        write(Int64(uid))
        if let unit {
            write(raw: ",\"unit\":")
            write(unit)
        }
        if let command {
            write(raw: ",\"command\":")
            write(command)
        }
    }
}
