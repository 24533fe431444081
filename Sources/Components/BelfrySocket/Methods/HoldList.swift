// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle
internal import Varlink

/// The holds of clients. Each is a background task that ends with its call.
final class HoldList {
    /// For a hold without a timeout. A pause or a stop waits for it no longer than its share of the time.
    private static let forever = Duration.seconds(365 * 24 * 60 * 60)
    /// In bytes. A reason is stored, listed and logged.
    private static let longestReason = 1024
    /// How many names a text for people has.
    private static let mostNamed = 10

    private let mediator: LifecycleMediator
    private let log: ServiceLog
    private var holds: [ObjectIdentifier: SocketHold] = [:]
    private var begun = 0
    private var waits: LifecycleObservation?
    private var pauses: LifecycleObservation?

    init(mediator: LifecycleMediator, log: ServiceLog) {
        self.mediator = mediator
        self.log = log
        waits = mediator.addEventObserver(for: .waiting) { [weak self] in
            if case .waiting(let trigger, let names) = $0 { self?.wait(trigger, for: names) }
        }
        // Only a pause for a sleep goes on in spite of holds. Others have waited for them, or have ended them.
        pauses = mediator.addObserver(forName: .didEnterBackground) { [weak self, mediator] _ in
            if mediator.isPausingForSleep { self?.tell(["held": true, "overriddenBy": "sleep"]) }
        }
    }

    /// Answers `Hold`.
    func begin(_ request: VarlinkRequest, origin: PeerOrigin) {
        guard request.wantsMore else { return request.fail(.expectedMore) }
        if mediator.isStopping { return request.fail("io.belfry.Lifecycle.Stopping") }
        let limit = request.parameters["timeoutUsec"]?.intValue
        if let limit, limit <= 0 { return request.fail(.invalidParameter("timeoutUsec")) }
        let reason = request.parameters["reason"]?.stringValue ?? ""
        guard reason.utf8.count <= Self.longestReason else { return request.fail(.invalidParameter("reason")) }
        let hold = SocketHold(request, number: begun, reason: reason, origin: origin, isLimited: limit != nil)
        begun += 1
        hold.task = mediator.beginBackgroundTask(
            named: reason, deadline: limit.map { min(.microseconds($0), Self.forever) } ?? Self.forever
        ) { [weak self, weak hold] in
            guard let hold else { return }
            let reason = (hold.task?.expiry ?? .deadline).words
            self?.end(hold, "over, because \(reason)")
            hold.request.reply(["held": false, "reason": .string(reason)])
        }
        holds[ObjectIdentifier(hold)] = hold
        request.onCancel = { [weak self, weak hold] in
            if let hold { self?.end(hold, "over, because its client disconnected") }
        }
        record(hold, "begins")
        request.reply(["held": true], continues: true)
    }

    /// How many there are.
    var count: Int { holds.count }

    /// Their reasons, for people; nil if there are none.
    var named: String? { holds.isEmpty ? nil : Self.text(inOrder.map(\.reason)) }

    /// How long the oldest has lasted; nil without one.
    var longest: Duration? { inOrder.first.map { MonotonicInstant.now - $0.began } }

    private var inOrder: [SocketHold] { holds.values.sorted { $0.number < $1.number } }

    /// The holds in order of arrival, as `ListHolds` has them.
    var descriptions: [JSONValue] {
        inOrder.map { hold in
            var object: JSONObject = [
                "reason": .string(hold.reason), "pid": .int(Int64(hold.origin.pid)),
                "uid": .int(Int64(hold.origin.uid)), "ageUsec": JSONValue(.now - hold.began),
            ]
            object["unit"] = hold.origin.unit.map { .string($0) }
            if hold.isLimited {
                object["remainingUsec"] = .int(Int64(clamping: hold.task?.remainingTime.microseconds ?? 0))
            }
            return .object(object)
        }
    }

    /// Tells the clients what waits for them, and logs which tasks it waits for.
    private func wait(_ trigger: LifecycleTrigger, for names: [String]) {
        tell(["held": true, "waiting": .string(trigger.rawValue)])
        let origin = mediator.pendingTransitions.first { $0.trigger == trigger }?.origin ?? .service
        log.write(
            .notice, "\(trigger) waits for \(Self.text(names))", .hold, by: origin,
            fields: ["BELFRY_TRIGGER": trigger.rawValue])
    }

    private static func text(_ names: [String]) -> String {
        let others = names.count > mostNamed ? " and \(names.count - mostNamed) more" : ""
        return names.prefix(mostNamed).map { "'\($0)'" }.joined(separator: ", ") + others
    }

    private func tell(_ reply: JSONObject) { for hold in inOrder { hold.request.reply(reply, continues: true) } }

    private func end(_ hold: SocketHold, _ how: String) {
        holds[ObjectIdentifier(hold)] = nil
        record(hold, "is \(how)")
        hold.task?.end()
    }

    private func record(_ hold: SocketHold, _ what: String) {
        log.write(
            .info, "hold '\(hold.reason)' of \(LifecycleOrigin.peer(hold.origin)) \(what)", .hold,
            by: .peer(hold.origin))
    }
}

/// A client that delays pause, sleep and stop as long as its call is open.
final class SocketHold {
    /// How many holds began before it.
    let number: Int
    let reason: String
    let origin: PeerOrigin
    /// Whether it has a timeout.
    let isLimited: Bool
    let request: VarlinkRequest
    let began = MonotonicInstant.now
    var task: BackgroundTask?

    init(_ request: VarlinkRequest, number: Int, reason: String, origin: PeerOrigin, isLimited: Bool) {
        self.request = request
        self.number = number
        self.reason = reason
        self.origin = origin
        self.isLimited = isLimited
    }
}

extension BackgroundTask.Expiry {
    /// Why a hold is over, for the journal and its client.
    var words: String {
        switch self {
        case .deadline: "its timeout expired"
        case .share: "what waits for it has no more time"
        case .secondStop: "a second stop came"
        }
    }
}
