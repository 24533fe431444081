// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import EventLoop
internal import Lifecycle
internal import LifecycleListeners
internal import Varlink

/// What the service tells on the socket, as JSON in the shape that the interface declares.
nonisolated enum LifecycleReplies {
    static func notification(_ notification: LifecycleNotification, bootID: String) -> VarlinkObject {
        // Made for every notification, so without the search for names that a literal has.
        var object = VarlinkObject(minimumCapacity: 9)
        object.append("sequence", .int(Int64(notification.sequence)))
        object.append("name", .string(notification.name.rawValue))
        object.append("state", .string(notification.state.rawValue))
        object.append("previousState", .string(notification.previousState.rawValue))
        object.append("realtimeUsec", .int(Int64(notification.time.realtimeUsec)))
        object.append("monotonicUsec", .int(Int64(notification.time.monotonicUsec)))
        object.append("bootId", .string(bootID))
        object.append("origin", .object(origin(notification.origin)))
        object.append("userInfo", .object(notification.userInfo.json))
        return object
    }

    /// What became of a notification that was waited for.
    static func result(_ report: LifecycleReport) -> VarlinkObject {
        [
            "sequence": .int(Int64(report.notification.sequence)), "result": .string(report.result.rawValue),
            "reports": .array(report.listeners.map(self.report)),
        ]
    }

    static func report(_ report: ListenerReport) -> VarlinkValue {
        var object: VarlinkObject = [
            "listener": .string(report.listener), "outcome": .string(report.outcome.word),
            "durationUsec": duration(report.duration),
        ]
        object["reason"] = report.outcome.reason.map { .string($0) }
        return .object(object)
    }

    static func listener(_ status: ListenerStatus) -> VarlinkValue {
        let record = status.record
        var object: VarlinkObject = [
            "name": .string(status.name), "interests": .array(status.interests.map { .string($0.rawValue) }),
            "order": .int(Int64(status.order)), "deadlineUsec": duration(status.deadline),
            "calls": .int(Int64(record.calls)), "failures": .int(Int64(record.failures)),
        ]
        object["health"] = .string(status.health.word)
        object["healthReason"] = status.health.reason.map { .string($0) }
        object["lastOutcome"] = record.lastOutcome.map { .string($0.word) }
        object["lastDurationUsec"] = record.lastDuration.map(duration)
        object["longestDurationUsec"] = record.longestDuration.map(duration)
        return .object(object)
    }

    static func signal(_ number: Int32, _ action: SignalAction) -> VarlinkValue {
        [
            "signal": .string(SignalName.name(of: number).map { "SIG" + $0 } ?? "\(number)"),
            "number": .int(Int64(number)), "action": .string("\(action)"),
        ]
    }

    private static func origin(_ origin: LifecycleOrigin) -> VarlinkObject {
        var object: VarlinkObject = ["kind": .string(origin.kind)]
        switch origin {
        case .service: break
        case .signal(let signal):
            object["signal"] = .string(signal.name)
            object["pid"] = .int(Int64(signal.pid))
            object["uid"] = .int(Int64(signal.uid))
            object["unit"] = signal.unit.map { .string($0) }
            object["command"] = signal.command.map { .string($0) }
            if signal.sender != .process { object["sender"] = .string(signal.sender.rawValue) }
            object["value"] = .int(Int64(signal.value))
        case .peer(let peer):
            object["pid"] = .int(Int64(peer.pid))
            object["uid"] = .int(Int64(peer.uid))
            object["unit"] = peer.unit.map { .string($0) }
            object["command"] = peer.command.map { .string($0) }
        }
        return object
    }

    private static func duration(_ duration: Duration) -> VarlinkValue {
        .int(Int64(clamping: duration.microseconds))
    }
}
