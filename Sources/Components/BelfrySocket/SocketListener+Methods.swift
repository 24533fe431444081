// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySystemd
internal import Varlink

/// The methods of `io.belfry.Lifecycle`.
extension SocketListener {
    /// How many listeners or tasks a transition is said to wait for.
    private static let mostNamed = 16

    static let methods: [String: Method] = [
        "GetState": (.look, { $1.reply($0.stateAndRun) }),
        "Subscribe": (.look, { $0.subscribe($1) }),
        "ListListeners": (.look, { $1.reply(["listeners": .array($0.listeners)]) }),
        "Explain": (.look, { $0.explain($1) }),
        "ListSignals": (.look, { $1.reply(["signals": .array($0.signals)]) }),
        "ListActions": (.look, { $1.reply(["actions": .array($0.actions)]) }),
        "ListHolds": (.look, { $1.reply(["holds": .array($0.holds.descriptions)]) }),
        "GetOpenMetrics": (.look, { $1.reply(["text": .string($0.openMetrics)]) }),
        "Post": (.post, { $0.post($1) }),
        "OpenURL": (.post, { $0.open($1) }),
        "PerformAction": (.post, { $0.perform($1) }),
        "Pause": (.control, { $0.move(.pause, $1) }),
        "Resume": (.control, { $0.move(.resume, $1) }),
        "Interrupt": (.control, { $0.move(.interrupt, $1) }),
        "Reload": (.control, { $0.reload($1) }),
        "Hold": (.control, { $0.holds.begin($1, origin: $0.peer(of: $1)) }),
        "Simulate": (.control, { $0.simulate($1) }),
        "Attach": (.attach, { $0.attach($1) }),
        "Answer": (.attach, { $0.attached.answer($1) }),
        "ReportHealth": (.attach, { $0.attached.reportHealth($1, origin: $0.peer(of: $1)) }),
        "Progress": (.attach, { $0.attached.progress($1) }),
    ]

    /// As the first reply of `Subscribe` has it.
    var state: JSONObject {
        var object: JSONObject = [
            "state": .string(mediator.state.rawValue), "sequence": .int(Int64(mediator.lastSequence)),
            "uptimeUsec": .int(Int64(MonotonicInstant.now.microseconds - identity.startUsec)),
            "bootId": .string(identity.bootID), "pid": .int(Int64(identity.pid)),
            "service": .string(identity.service), "version": .string(identity.version),
            "subscribers": .int(Int64(subscribers.count)),
        ]
        object["invocationId"] = identity.invocationID.map { .string($0) }
        object["sequenceId"] = mediator.sequenceID.map { .string($0) }
        return object
    }

    private var stateAndRun: JSONObject {
        var object = state
        object["transition"] = transition.map { .object($0) }
        object["stateSinceUsec"] = latest.stateSinceUsec.map { .int(Int64(clamping: $0)) }
        object["lastNotification"] = latest.notification.map { .object($0) }
        for (key, value) in describeRun() { object[key] = value }
        return object
    }

    /// The transition under way, and what it waits for.
    private var transition: JSONObject? {
        guard let current = mediator.pendingTransitions.first, current.isUnderWay else { return nil }
        let now = mediator.clock.now
        var object: JSONObject = [
            "trigger": .string(current.trigger.rawValue), "origin": .object(current.origin.userInfo),
            "waitingFor": .array(mediator.pending.prefix(Self.mostNamed).map { .string($0) }),
        ]
        object["sinceUsec"] = current.began.map { .int((now.realtime - (now.monotonic - $0)).signedMicroseconds) }
        if current.isDryRun { object["dryRun"] = true }
        return object
    }

    private var signals: [JSONValue] {
        parameters.signals.sorted { $0.key < $1.key }.map {
            [
                "signal": .string(SignalName.full($0.key)),
                "number": .int(Int64($0.key)), "action": .string("\($0.value)"),
            ]
        }
    }

    private var listeners: [JSONValue] {
        mediator.listeners.map { JSONValue($0, healthyUsec: attached.healthyUsec(of: $0.name)) }
    }

    private func subscribe(_ request: VarlinkRequest) {
        guard request.wantsMore else { return request.fail(.expectedMore) }
        subscribers.add(
            request, names: request.parameters["names"]?.arrayValue?.compactMap(\.stringValue),
            after: request.parameters["after"]?.intValue, state: { [unowned self] in state })
    }

    private func attach(_ request: VarlinkRequest) {
        // The program of an application takes part under the name of that only.
        let hasItsName = application?.name.hasSameBytes(as: request.parameters["listener"]?.stringValue ?? "") ?? false
        guard hasItsName || parameters.access.admits(request, to: .control, clients) else {
            return request.fail(.permissionDenied)
        }
        attached.attach(request, origin: peer(of: request)) { [unowned self] in state }
    }

    private var actions: [JSONValue] {
        mediator.actions.map { ["id": .string($0.id), "title": .string($0.title)] }
    }

    private func move(_ trigger: LifecycleTrigger, _ request: VarlinkRequest) {
        let reason = request.parameters["reason"]?.stringValue
        // In bytes. It is stored, shown and logged.
        guard (1...200).contains(reason?.utf8.count ?? 1) else { return request.fail(.invalidParameter("reason")) }
        perform(trigger, request, reason.map { ["reason": .string($0)] } ?? [:]) { [unowned self] report in
            if report.result == .overtaken { return request.fail("io.belfry.Lifecycle.Stopping") }
            let reports = report.notifications.isEmpty ? failures(of: trigger) : report.notableReports
            request.reply(["state": .string(mediator.state.rawValue), "reports": .array(reports)])
        }
    }

    /// Who failed in the last transition of this kind, and was not called since. The state alone would say that all
    /// went well.
    private func failures(of trigger: LifecycleTrigger) -> [JSONValue] {
        let steps = [LifecycleState.active, .background].flatMap {
            LifecycleStateMachine(state: $0).steps(for: trigger)
        }
        return mediator.listeners.compactMap { listener in
            guard let outcome = listener.record.lastOutcome, outcome.isProblem,
                let name = listener.record.lastFailedNotification, steps.contains(where: { $0.name == name })
            else { return nil }
            return JSONValue(of: listener.name, outcome, after: listener.record.lastDuration ?? .zero, in: name)
        }
    }

    /// Performs a transition, unless its client goes away before it has begun.
    private func perform(
        _ trigger: LifecycleTrigger, _ request: VarlinkRequest, _ userInfo: UserInfo = [:],
        _ completion: @escaping (TransitionReport) -> Void
    ) {
        let asked = mediator.request(trigger, origin: origin(of: request), userInfo: userInfo, completion)
        request.onCancel = { [mediator] in mediator.withdraw(asked) }
    }

    private func reload(_ request: VarlinkRequest) {
        if request.parameters["dryRun"]?.boolValue == true { return checkReload(request) }
        perform(.reload, request) { Self.answer(request, $0, ["reports": .array($0.notableReports)]) }
    }

    private func checkReload(_ request: VarlinkRequest) {
        mediator.checkReload(origin: origin(of: request)) { report in
            Self.answer(request, report, ["reports": .array(report.notifications.flatMap(\.reports))])
        }
    }

    private static func answer(_ request: VarlinkRequest, _ report: TransitionReport, _ reply: JSONObject) {
        switch report.result {
        case .completed: request.reply(reply)
        case .overtaken: request.fail("io.belfry.Lifecycle.Stopping")
        case .failed: request.fail("io.belfry.Lifecycle.ReloadFailed", ["reports": .array(report.notableReports)])
        case .refused(let reasons):
            // A listener may also have failed to go back to the old configuration.
            let failures = report.notifications.filter { $0.notification.name == .didFailToReload }.flatMap(\.problems)
            let texts = reasons + failures.map { "\($0) (in didFailToReload)" }
            request.fail("io.belfry.Lifecycle.ReloadRefused", ["reasons": .array(texts.map { .string($0) })])
        }
    }

    /// The process that called.
    private func peer(of request: VarlinkRequest) -> PeerOrigin {
        if case .peer(let origin) = origin(of: request) { return origin }
        return PeerOrigin(pid: request.peer.pid, uid: request.peer.uid)
    }

    /// Who called, looked up once for each connection.
    func origin(of request: VarlinkRequest) -> LifecycleOrigin {
        if let known = request.attachment as? LifecycleOrigin { return known }
        let peer = request.peer
        let origin = LifecycleOrigin.peer(
            PeerOrigin(
                pid: peer.pid, uid: peer.uid, loginUID: ProcessIdentity.loginUID(of: peer.pid, runBy: peer.uid),
                unit: ProcessUnit.of(peer.pid)?.name, command: ProcessIdentity.command(of: peer.pid)))
        request.attachment = origin
        return origin
    }
}
