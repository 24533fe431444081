// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfrySocket
import Glibc
import Varlink

/// Serves `io.belfry.Lifecycle` without a mediator.
final class StandInService {
    private let server: VarlinkServer
    private var subscribers: [VarlinkRequest] = []
    private var kept: [JSONObject] = []
    private var sequence: Int64 = 40
    private var state = "active"
    private var refusal: [String] = []

    init(_ path: String, on loop: MainEventLoop) throws {
        let info = VarlinkServiceInfo(vendor: "Belfry", product: "lantern", version: "9.8", url: "https://example.org")
        server = try VarlinkServer(info, on: loop)
        server.add(try VarlinkInterface(lifecycleInterfaceText, methods: methods))
        try server.listen(on: path)
    }

    /// Executes a line of standard input.
    func perform(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words[0] {
        case "notify": notify(rest)
        case "notification": send(try! JSONValue(json: Array(rest.utf8)).objectValue ?? [:])  // the test wrote it
        case "sequence": sequence = Int64(rest) ?? sequence
        case "refuse": refusal = rest.split(separator: "|").map(String.init)
        case "overrun": overrun()
        default: print("unknown command \(line)")
        }
    }

    private func notify(_ name: String) {
        sequence += 1
        send([
            "sequence": .int(sequence), "name": .string(name), "state": .string(state),
            "previousState": .string(state), "realtimeUsec": 1_767_358_802_123_456, "monotonicUsec": 5,
            "bootId": "b", "origin": ["kind": "service"], "userInfo": [:],
        ])
    }

    private func send(_ notification: JSONObject) {
        kept.append(notification)
        for request in subscribers { request.reply(["notification": .object(notification)], continues: true) }
    }

    private func overrun() {
        for request in subscribers { request.fail("io.belfry.Lifecycle.Overrun", ["dropped": 3]) }
        subscribers = []
    }

    private var methods: [String: VarlinkInterface.Handler] {
        [
            "GetState": { [unowned self] in $0.reply(whereItIs) },
            "Subscribe": { [unowned self] in subscribe($0) },
            "Post": { [unowned self] in post($0) },
            "Pause": { [unowned self] in move($0, "background") },
            "Resume": { [unowned self] in move($0, "active") },
            "Interrupt": { [unowned self] in move($0, "inactive") },
            "Reload": { [unowned self] request in
                if refusal.isEmpty { return request.reply() }
                let reasons = refusal.map { JSONValue.string($0) }
                request.fail("io.belfry.Lifecycle.ReloadRefused", ["reasons": .array(reasons)])
            },
            "ListListeners": { $0.reply(["listeners": .array(StandInReplies.listeners)]) },
            "ListHolds": { $0.reply(["holds": []]) },
            "ListSignals": { $0.reply(StandInReplies.signals) },
        ]
    }

    private var whereItIs: JSONObject {
        [
            "state": .string(state), "sequence": .int(sequence), "uptimeUsec": 200_000_000, "bootId": "b",
            "invocationId": "c0ffee", "pid": .int(Int64(getpid())), "service": "lantern", "version": "9.8",
            "subscribers": 2,
        ]
    }

    private func move(_ request: VarlinkRequest, _ state: String) {
        self.state = state
        request.reply(["state": .string(state), "reports": []])
    }

    private func subscribe(_ request: VarlinkRequest) {
        let oldest = kept.first?["sequence"]?.intValue ?? sequence + 1
        let after = request.parameters["after"]?.intValue
        if let after, after + 1 < oldest {
            return request.fail("io.belfry.Lifecycle.NotRetained", ["oldest": .int(oldest)])
        }
        request.reply(["state": .object(whereItIs)], continues: true)
        for notification in kept where (notification["sequence"]?.intValue ?? 0) > (after ?? .max) {
            request.reply(["notification": .object(notification)], continues: true)
        }
        subscribers.append(request)
    }

    private func post(_ request: VarlinkRequest) {
        let name = request.parameters["name"]?.stringValue ?? ""
        let waits = request.parameters["wait"]?.boolValue ?? false
        switch name {
        case "org.example.forbidden": return request.fail(.permissionDenied)
        case "org.example.late": return request.fail("io.belfry.Lifecycle.Stopping")
        case "willTerminate": return request.fail("io.belfry.Lifecycle.InvalidName", ["name": .string(name)])
        default: break
        }
        sequence += 1
        let isBroken = name == "org.example.broken"
        let info = request.parameters["userInfo"].map(\.description)
        var reports = StandInReplies.reports(failing: isBroken)
        if let info {
            reports.append(["listener": "echo", "outcome": "completed", "reason": .string(info), "durationUsec": 7])
        }
        request.reply([
            "sequence": .int(sequence), "result": waits ? (isBroken ? "failed" : "noData") : "posted",
            "reports": .array(waits ? reports : []),
        ])
    }
}

/// Constant replies.
enum StandInReplies {
    static let listeners: [JSONValue] = [
        [
            "name": "service-manager", "interests": ["a", "willTerminate"], "order": 0,
            "deadlineUsec": 10_000_000, "calls": 4, "failures": 0, "lastOutcome": "completed",
            "lastDurationUsec": 120, "longestDurationUsec": 1400,
        ],
        [
            "name": "cache", "interests": ["flushRequested"], "order": 1, "deadlineUsec": 90_000_000, "calls": 1,
            "failures": 1, "lastOutcome": "overran", "lastDurationUsec": 90_000_000,
            "longestDurationUsec": 90_000_000, "stillRunning": 1,
        ],
        ["name": "new", "interests": [], "order": 2, "deadlineUsec": 1_000_000, "calls": 0, "failures": 0],
    ]

    static let signals: JSONObject = [
        "signals": [
            ["signal": "SIGHUP", "number": 1, "action": "reload"],
            ["signal": "SIGRTMIN+5", "number": 39, "action": "org.example.doorbell"],
        ]
    ]

    static func reports(failing: Bool) -> [JSONValue] {
        let outcome: JSONValue = failing ? "failed" : "completed"
        let reason: JSONValue = failing ? "disk is full" : .null
        return [
            ["listener": "logger", "outcome": "completed", "durationUsec": 1250],
            ["listener": "cache", "outcome": outcome, "reason": reason, "durationUsec": 90],
        ]
    }
}
