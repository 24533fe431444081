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
        .flushRequested, .statusRequested, .performFetch,
    ])

    /// Answers `Post`.
    func post(_ request: VarlinkRequest) {
        let text = request.parameters["name"]?.stringValue ?? ""
        guard let name = LifecycleNotification.Name(text), !Self.refusedNames.contains(name) else {
            return request.fail("io.belfry.Lifecycle.InvalidName", ["name": .string(text.cut(toBytes: 255))])
        }
        let userInfo = request.parameters["userInfo"]?.objectValue ?? [:]
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
        post(.openURL, ["url": .string(url)], request) { report in
            var reply = JSONObject(report)
            reply["result"] = nil
            reply["handledBy"] = report.handledBy.map { .string($0) }
            request.reply(reply)
        }
    }

    /// Posts, and replies when all listeners are done.
    private func post(
        _ name: LifecycleNotification.Name, _ userInfo: UserInfo, _ request: VarlinkRequest,
        reply: @escaping (LifecycleReport) -> Void
    ) {
        let origin = origin(of: request)
        posts.begin(request, request.byteCount) { [unowned self] done in
            var sequence: UInt64?
            var progress = request.wantsMore ? observeProgress(of: request) { sequence } : nil
            sequence = mediator.post(name, userInfo: userInfo, origin: origin) { report in
                progress = nil
                reply(report)
                done()
            }
            withExtendedLifetime(progress) {}
        }
    }

    /// Sends the progress of the listeners that a post waits for.
    private func observeProgress(
        of request: VarlinkRequest, sequence: @escaping () -> UInt64?
    ) -> LifecycleObservation {
        let start = MonotonicInstant.now
        return mediator.addEventObserver(for: .progress) { event in
            guard case .progress(let progress) = event, progress.sequence == sequence() else { return }
            request.reply(JSONObject(progress, after: .now - start), continues: true)
        }
    }
}
