// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryListeners
internal import Lifecycle
internal import Varlink

/// Makes replies of notifications, one after the other in the same memory. What a notification has in common with the one
/// before it is written once: what a client posts in one turn mostly differs in number and user info alone.
nonisolated struct NotificationEncoder: ~Copyable {
    /// What the last one had in common with those that are posted under the same name, in the same state, at the same time,
    /// by the same.
    private struct Common {
        let name: LifecycleNotification.Name
        let state: LifecycleState
        let previousState: LifecycleState
        let time: LifecycleTime
        let origin: LifecycleOrigin

        init(_ notification: LifecycleNotification) {
            name = notification.name
            state = notification.state
            previousState = notification.previousState
            time = notification.time
            origin = notification.origin
        }

        func holds(for notification: LifecycleNotification) -> Bool {
            time == notification.time && name == notification.name && state == notification.state
                && previousState == notification.previousState
                && origin == notification.origin
        }
    }

    private let bootID: String
    private var writer = JSONWriter()
    private var common: Common?
    private var commonText = JSONWriter()

    init(bootID: String) { self.bootID = bootID }

    /// The last notification that was encoded, as it is on the wire. Valid until the next is.
    var message: UnsafeRawBufferPointer { UnsafeRawBufferPointer(writer.bytes) }

    /// Encodes a notification.
    mutating func encode(_ notification: LifecycleNotification) {
        if common?.holds(for: notification) != true {
            common = Common(notification)
            commonText.removeAll()
            commonText.writeCommon(of: notification, bootID: bootID)
        }
        writer.removeAll()
        writer.beginContinuingReply()
        writer.write(raw: "\"notification\":")
        writer.writeBeginning(of: notification)
        writer.write(raw: commonText.bytes)
        writer.writeEnd(of: notification)
        writer.endContinuingReply()
    }
}

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
