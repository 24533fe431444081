// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON

// What is stored of a plan, so that another process can continue or cancel it. Moments are not: a plan that is read has stopped.

nonisolated extension RollingPlan {
    private static let version: Int64 = 1

    /// What changes in the stored plan from one step to the next.
    struct Stored: Equatable {
        let place: Int
        let phase: String
        let reason: String?
    }

    var stored: Stored { Stored(place: place, phase: phaseWord, reason: ending?.reason) }

    private var phaseWord: String {
        switch phase {
        case .waiting: "waiting"
        case .commanded: "commanded"
        case .paused: "paused"
        case .resuming: "resuming"
        case .recovering, .checking: "recovering"
        }
    }

    /// The plan as it is stored.
    var json: [UInt8] {
        var object: JSONObject = [
            "version": .int(Self.version), "command": .string(order.action.word),
            "hosts": .array(order.hosts.map { .string($0) }), "away": .int(Int64(order.awayMax)),
            "healthyUsec": .int(Int64(clamping: order.healthy.microseconds)),
            "timeoutUsec": .int(Int64(clamping: order.timeout.microseconds)),
            "pauseUsec": .int(Int64(clamping: order.pause.microseconds)), "place": .int(Int64(place)),
            "phase": .string(phaseWord),
        ]
        if case .post(let name, let userInfo) = order.action {
            object["name"] = .string(name)
            object["userInfo"] = .object(userInfo)
        }
        object["reason"] = ending.map { .string($0.reason) }
        return JSONValue.object(object).json + [UInt8(ascii: "\n")]
    }

    /// Reads a plan that another process has stored. It has stopped.
    ///
    /// - Returns: nil for what is no plan.
    init?(json: [UInt8]) {
        guard let object = try? JSONValue(json: json).objectValue, object["version"]?.intValue == Self.version,
            let word = object["command"]?.stringValue, let action = FleetCommand.Action(word, object),
            let hosts = object["hosts"]?.arrayValue?.compactMap(\.stringValue), !hosts.isEmpty,
            hosts.allSatisfy(FleetName.isValid), let away = object["away"]?.intValue, away > 0,
            let healthy = Self.duration("healthyUsec", object), let timeout = Self.duration("timeoutUsec", object),
            let pause = Self.duration("pauseUsec", object),
            let place = object["place"]?.intValue, (0..<Int64(hosts.count)).contains(place),
            let phase = object["phase"]?.stringValue
        else { return nil }
        self.init(
            Order(
                action: action, hosts: hosts, awayMax: Int(clamping: away), healthy: healthy, timeout: timeout,
                pause: pause))
        self.place = Int(place)
        ending = .stopped(object["reason"]?.stringValue ?? "belfry-fleetd was restarted")
        let start = MonotonicInstant(microseconds: 0)
        switch UTF8Text(phase) {
        // It may have got the pause.
        case "commanded" where action == .pause, "paused", "resuming": self.phase = .resuming
        case "recovering": self.phase = .recovering(deadline: start, activeSince: nil)
        case "waiting", "commanded": break
        default: return nil
        }
    }

    private static func duration(_ key: String, _ object: JSONObject) -> Duration? {
        object[key]?.intValue.flatMap { $0 >= 0 ? .microseconds($0) : nil }
    }
}
