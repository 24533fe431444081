// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryEventLoop
internal import CBelfry
internal import Lifecycle
internal import Varlink

/// Posts of clients: notifications by name, URLs to open and actions to perform.
extension SocketListener {
    /// Answers `Post`.
    func post(_ request: VarlinkRequest) {
        guard let name = name(in: request) else { return }
        switch name.clientAccess {
        case .post: break
        case .simulate:
            return refuse(name.rawValue, request, "only the system causes it; try it with 'belfryctl simulate'")
        case .refused(let reason): return refuse(name.rawValue, request, reason)
        }
        var userInfo = request.parameters["userInfo"]?.objectValue ?? [:]
        if name == .didReceiveNotification {
            guard let message = userInfo["name"]?.stringValue else {
                return request.fail(.invalidParameter("userInfo"))
            }
            let content = userInfo["userInfo"]?.objectValue ?? [:]
            userInfo = mediator.received(message, content).userInfo
        }
        if request.parameters["wait"]?.boolValue ?? false {
            return post(name, userInfo, request) { request.reply(JSONObject($0)) }
        }
        let origin = origin(of: request)
        let reply = { (sequence: UInt64) in
            request.reply(["sequence": .int(Int64(sequence)), "result": "posted", "reports": []])
        }
        // Most posts are done at once, and do not count.
        if mediator.isAnsweredAtOnce(name) {
            return reply(mediator.post(name, userInfo: userInfo, origin: origin))
        }
        posts.begin(request, request.byteCount) { [mediator] done in
            reply(mediator.post(name, userInfo: userInfo, origin: origin) { _ in done() })
        }
    }

    /// Answers `Simulate`.
    func simulate(_ request: VarlinkRequest) {
        guard let name = name(in: request) else { return }
        guard name.clientAccess == .simulate else {
            return refuse(name.rawValue, request, "the system does not cause it")
        }
        guard let userInfo = name.simulated(request.parameters["userInfo"]?.objectValue ?? [:]) else {
            return request.fail(.invalidParameter("userInfo"))
        }
        post(name, userInfo, request) { report in
            // As after a warning of the system.
            if name == .didReceiveMemoryWarning { belfry_malloc_trim() }
            request.reply(JSONObject(report))
        }
    }

    /// The name in a request; nil after the reply that there is none.
    private func name(in request: VarlinkRequest) -> LifecycleNotification.Name? {
        let text = request.parameters["name"]?.stringValue ?? ""
        if let name = LifecycleNotification.Name(text) { return name }
        refuse(text, request, "a name is \(NotificationName.rule)")
        return nil
    }

    private func refuse(_ name: String, _ request: VarlinkRequest, _ reason: String) {
        request.fail(
            "io.belfry.Lifecycle.InvalidName", ["name": .string(name.cut(toBytes: 255)), "reason": .string(reason)])
    }

    /// Answers `PerformAction`.
    func perform(_ request: VarlinkRequest) {
        let id = request.parameters["id"]?.stringValue ?? ""
        guard mediator.actions.contains(where: { $0.id.hasSameBytes(as: id) }) else {
            return request.fail("io.belfry.Lifecycle.NoSuchAction", ["id": .string(id.cut(toBytes: 255))])
        }
        var userInfo = request.parameters["userInfo"]?.objectValue ?? [:]
        userInfo["action"] = .string(id)
        post(.performAction, userInfo, request) { request.reply(JSONObject($0)) }
    }

    /// Answers `OpenURL`.
    func open(_ request: VarlinkRequest) {
        let url = request.parameters["url"]?.stringValue ?? ""
        var userInfo: UserInfo = ["url": .string(url)]
        if request.parameters["toAll"]?.boolValue == true { userInfo["toAll"] = true }
        post(.openURL, userInfo, request, reportsProgress: false) { report in
            var reply = JSONObject(report)
            reply["result"] = nil
            reply["handledBy"] = report.handledBy.map { .string($0) }
            request.reply(reply)
        }
    }

    /// Posts, and replies when all listeners are done.
    ///
    /// - Parameter reportsProgress: whether a call with `more` gets the progress of the listeners too.
    private func post(
        _ name: LifecycleNotification.Name, _ userInfo: UserInfo, _ request: VarlinkRequest,
        reportsProgress: Bool = true, reply: @escaping (LifecycleReport) -> Void
    ) {
        let origin = origin(of: request)
        posts.begin(request, request.byteCount) { [unowned self] done in
            var isDone = false
            let sequence = mediator.post(name, userInfo: userInfo, origin: origin) { [weak self] report in
                isDone = true
                self?.followedPosts.remove(report.notification.sequence)
                reply(report)
                done()
            }
            if reportsProgress, request.wantsMore, !isDone { followedPosts.add(request, sequence, mediator) }
        }
    }
}

/// Sends the progress of listeners to the clients whose posts wait for them.
final class FollowedPosts {
    private var requests: [UInt64: (request: VarlinkRequest, start: MonotonicInstant)] = [:]
    private var observation: LifecycleObservation?

    /// Adds the request for the post with this number.
    func add(_ request: VarlinkRequest, _ sequence: UInt64, _ mediator: LifecycleMediator) {
        requests[sequence] = (request, .now)
        guard observation == nil else { return }
        observation = mediator.addEventObserver(for: .progress) { [weak self] event in
            guard case .progress(let progress) = event, let sequence = progress.sequence,
                let (request, start) = self?.requests[sequence]
            else { return }
            request.reply(JSONObject(progress, after: .now - start), continues: true)
        }
    }

    /// The post is done.
    func remove(_ sequence: UInt64) {
        requests[sequence] = nil
        if requests.isEmpty { observation = nil }
    }
}
