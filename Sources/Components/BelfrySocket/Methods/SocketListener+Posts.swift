// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryListeners
internal import Lifecycle
internal import Varlink

/// Posts of clients: notifications by name, URLs to open and actions to perform.
extension SocketListener {
    /// Names that only the service itself may post, and those that have a method of their own. If clients could post
    /// the service's own notifications, listeners could not rely on them.
    private static let refusedNames = Set(LifecycleNotification.Name.catalogue).subtracting([
        .flushRequested, .statusRequested, .performFetch, .didReceiveNotification,
    ])

    /// Answers `Post`.
    func post(_ request: VarlinkRequest) {
        let text = request.parameters["name"]?.stringValue ?? ""
        guard let name = LifecycleNotification.Name(text), !Self.refusedNames.contains(name) else {
            return request.fail("io.belfry.Lifecycle.InvalidName", ["name": .string(text.cut(toBytes: 255))])
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
