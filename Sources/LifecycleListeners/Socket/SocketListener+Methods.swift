// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import EventLoop
internal import Lifecycle
internal import ServiceManager
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
            "Rehearse": change { [unowned self] in rehearse($0) },
            "ListSignals": look { [unowned self] in $0.reply(["signals": .array(signals)]) },
            "Post": change { [unowned self] in post($0) },
            "Pause": change { [unowned self] in move(.pause, $0) },
            "Resume": change { [unowned self] in move(.resume, $0) },
            "Interrupt": change { [unowned self] in move(.interrupt, $0) },
            "Reload": change { [unowned self] in reload($0) },
        ]
    }

    private var state: VarlinkObject {
        var object: VarlinkObject = [
            "state": .string(mediator.state.rawValue), "sequence": .int(Int64(mediator.lastSequence)),
            "uptimeUsec": .int(Int64(MonotonicInstant.now.microseconds - identity.startUsec)),
            "bootId": .string(identity.bootID), "pid": .int(Int64(identity.pid)),
            "service": .string(identity.service), "version": .string(identity.version),
            "subscribers": .int(Int64(subscribers.count)),
        ]
        object["invocationId"] = identity.invocationID.map { .string($0) }
        return object
    }

    private var stateAndRun: VarlinkObject {
        var object = state
        for (key, value) in describeRun().json { object[key] = value }
        return object
    }

    private var signals: [VarlinkValue] {
        let settings = mediator.configuration[BelfrySettings.self]?.signals ?? BelfrySettings.defaults.signals
        return settings.sorted.map { LifecycleReplies.signal($0.signal, $0.action) }
    }

    private func subscribe(_ request: VarlinkRequest) {
        guard request.wantsMore else { return request.fail(.expectedMore) }
        subscribers.add(
            request, names: request.parameters["names"]?.arrayValue?.compactMap(\.stringValue),
            after: request.parameters["after"]?.intValue, state: state)
    }

    private func post(_ request: VarlinkRequest) {
        let text = request.parameters["name"]?.stringValue ?? ""
        guard let name = LifecycleNotification.Name(text), !name.isTransition else {
            return request.fail("io.belfry.Lifecycle.InvalidName", ["name": .string(text)])
        }
        let userInfo = UserInfo(request.parameters["userInfo"]?.objectValue ?? [:])
        let origin = origin(of: request)
        guard request.parameters["wait"]?.boolValue ?? false else {
            let sequence = mediator.post(name, userInfo: userInfo, origin: origin)
            return request.reply([
                "sequence": .int(Int64(sequence)), "result": "posted", "reports": [],
            ])
        }
        mediator.post(name, userInfo: userInfo, origin: origin) { report in
            request.reply([
                "sequence": .int(Int64(report.notification.sequence)), "result": .string(report.result.rawValue),
                "reports": .array(report.listeners.map(LifecycleReplies.report)),
            ])
        }
    }

    private func move(_ trigger: LifecycleTrigger, _ request: VarlinkRequest) {
        mediator.perform(trigger, origin: origin(of: request)) { [unowned self] report in
            if report.result == .overtaken { return request.fail("io.belfry.Lifecycle.Stopping") }
            request.reply(["state": .string(mediator.state.rawValue)])
        }
    }

    private func reload(_ request: VarlinkRequest) {
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

    /// Who called. It is looked up once for a connection: its peer is who it was when it connected.
    func origin(of request: VarlinkRequest) -> LifecycleOrigin {
        if let known = request.attachment as? PeerOrigin { return .peer(known) }
        let peer = request.peer
        let origin = PeerOrigin(
            pid: peer.pid, uid: peer.uid, unit: ProcessUnit.of(peer.pid), command: ProcessCommand.of(peer.pid))
        request.attachment = origin
        return .peer(origin)
    }
}
