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
    var methods: [String: VarlinkInterface.Handler] {
        [
            "GetState": look { [unowned self] in $0.reply(stateAndRun) },
            "Subscribe": look { [unowned self] in subscribe($0) },
            "ListListeners": look { [unowned self] in
                $0.reply(["listeners": .array(mediator.listeners.map(LifecycleReplies.listener))])
            },
            "Explain": look { [unowned self] in explain($0) },
            "Rehearse": control { [unowned self] in rehearse($0) },
            "ListSignals": look { [unowned self] in $0.reply(["signals": .array(signals)]) },
            "ListActions": look { [unowned self] in $0.reply(["actions": .array(actions)]) },
            "ListHolds": look { [unowned self] in $0.reply(["holds": .array(holds.descriptions)]) },
            "Post": post { [unowned self] in post($0) },
            "OpenURL": post { [unowned self] in open($0) },
            "PerformAction": post { [unowned self] in perform($0) },
            "Pause": control { [unowned self] in move(.pause, $0) },
            "Resume": control { [unowned self] in move(.resume, $0) },
            "Interrupt": control { [unowned self] in move(.interrupt, $0) },
            "Reload": control { [unowned self] in reload($0) },
            "Hold": control { [unowned self] in holds.begin($0, origin: peer(of: $0)) },
            "Attach": control { [unowned self] in attached.attach($0, origin: peer(of: $0)) },
            "Answer": control { [unowned self] in attached.answer($0) },
            "Progress": control { [unowned self] in attached.progress($0) },
        ]
    }

    private var state: JSONObject {
        var object: JSONObject = [
            "state": .string(mediator.state.rawValue), "sequence": .int(Int64(mediator.lastSequence)),
            "uptimeUsec": .int(Int64(MonotonicInstant.now.microseconds - identity.startUsec)),
            "bootId": .string(identity.bootID), "pid": .int(Int64(identity.pid)),
            "service": .string(identity.service), "version": .string(identity.version),
            "subscribers": .int(Int64(subscribers.count)),
        ]
        object["invocationId"] = identity.invocationID.map { .string($0) }
        return object
    }

    private var stateAndRun: JSONObject {
        var object = state
        for (key, value) in describeRun() { object[key] = value }
        return object
    }

    private var signals: [JSONValue] {
        let settings = mediator.configuration[BelfrySettings.self]?.signals ?? BelfrySettings.defaults.signals
        return settings.sorted.map { LifecycleReplies.signal($0.signal, $0.action) }
    }

    private func subscribe(_ request: VarlinkRequest) {
        guard request.wantsMore else { return request.fail(.expectedMore) }
        subscribers.add(
            request, names: request.parameters["names"]?.arrayValue?.compactMap(\.stringValue),
            after: request.parameters["after"]?.intValue, state: { [unowned self] in state })
    }

    private var actions: [JSONValue] {
        mediator.actions.map { ["id": .string($0.id), "title": .string($0.title)] }
    }

    private func move(_ trigger: LifecycleTrigger, _ request: VarlinkRequest) {
        mediator.perform(trigger, origin: origin(of: request)) { [unowned self] report in
            if report.result == .overtaken { return request.fail("io.belfry.Lifecycle.Stopping") }
            request.reply(["state": .string(mediator.state.rawValue)])
        }
    }

    func reload(_ request: VarlinkRequest) {
        mediator.perform(.reload, origin: origin(of: request)) { report in
            switch report.result {
            case .completed: request.reply()
            case .overtaken: request.fail("io.belfry.Lifecycle.Stopping")
            case .refused(let reasons):
                request.fail(
                    "io.belfry.Lifecycle.ReloadRefused", ["reasons": .array(reasons.map { .string($0) })])
            }
        }
    }

    /// The process that called.
    private func peer(of request: VarlinkRequest) -> PeerOrigin {
        if case .peer(let origin) = origin(of: request) { return origin }
        return PeerOrigin(pid: request.peer.pid, uid: request.peer.uid)
    }

    func origin(of request: VarlinkRequest) -> LifecycleOrigin { client(of: request).origin }

    /// The client, looked up once for each connection.
    func client(of request: VarlinkRequest) -> SocketClient {
        if let known = request.attachment as? SocketClient { return known }
        let peer = request.peer
        let client = SocketClient(
            .peer(
                PeerOrigin(
                    pid: peer.pid, uid: peer.uid, unit: ProcessUnit.of(peer.pid)?.name,
                    command: ProcessCommand.of(peer.pid)))
        )
        request.attachment = client
        return client
    }
}
