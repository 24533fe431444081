// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryListeners
package import Lifecycle
internal import Varlink

/// Posts of clients: notifications by name, URLs to open and actions to perform.
extension SocketListener {
    /// Names that only the service itself may post, and those that have a method of their own. A client that could post the
    /// service's own notifications would deceive the listeners.
    private static let refusedNames = Set(LifecycleNotification.Name.catalogue).subtracting([
        .flushRequested, .statusRequested, .performFetch,
    ])

    /// Answers `Post`.
    func post(_ request: VarlinkRequest) {
        let parameters = PostParameters(request.parameters)
        guard let name = LifecycleNotification.Name(parameters.name), !Self.refusedNames.contains(name) else {
            return request.fail(
                "io.belfry.Lifecycle.InvalidName", ["name": .string(parameters.name.cut(toBytes: 255))])
        }
        guard parameters.waits else {
            return post(name, parameters.userInfo, request) { sequence in
                request.reply(["sequence": .int(Int64(sequence)), "result": "posted", "reports": []])
            }
        }
        post(name, parameters.userInfo, request) { request.reply(LifecycleReplies.result($0)) }
    }

    /// Answers `PerformAction`.
    func perform(_ request: VarlinkRequest) {
        let id = request.parameters["id"]?.stringValue ?? ""
        guard mediator.actions.contains(where: { $0.id.hasSameBytes(as: id) }) else {
            return request.fail("io.belfry.Lifecycle.NoSuchAction", ["id": .string(id.cut(toBytes: 255))])
        }
        var userInfo = request.parameters["userInfo"]?.objectValue ?? [:]
        userInfo["action"] = .string(id)
        post(.performAction, userInfo, request) { request.reply(LifecycleReplies.result($0)) }
    }

    /// Answers `OpenURL`.
    func open(_ request: VarlinkRequest) {
        let url = request.parameters["url"]?.stringValue ?? ""
        post(.openURL, ["url": .string(url)], request) { report in
            var reply = LifecycleReplies.result(report)
            reply["result"] = nil
            reply["handledBy"] = report.handledBy.map { .string($0) }
            request.reply(reply)
        }
    }

    /// Posts, and replies with the number as soon as it has one.
    private func post(
        _ name: LifecycleNotification.Name, _ userInfo: UserInfo, _ request: VarlinkRequest,
        reply: @escaping (UInt64) -> Void
    ) {
        let origin = origin(of: request)
        // Most posts are done at once, and do not count.
        if mediator.isAnsweredAtOnce(name) {
            return reply(mediator.post(name, userInfo: userInfo, origin: origin))
        }
        posts.begin(request, request.byteCount) { [mediator] done in
            reply(mediator.post(name, userInfo: userInfo, origin: origin) { _ in done() })
        }
    }

    /// Posts, and replies when all listeners are done.
    private func post(
        _ name: LifecycleNotification.Name, _ userInfo: UserInfo, _ request: VarlinkRequest,
        reply: @escaping (LifecycleReport) -> Void
    ) {
        let origin = origin(of: request)
        posts.begin(request, request.byteCount) { [mediator] done in
            mediator.post(name, userInfo: userInfo, origin: origin) { report in
                reply(report)
                done()
            }
        }
    }
}

/// The parameters of `Post`.
package nonisolated struct PostParameters {
    package private(set) var name = ""
    /// The user info, unparsed.
    package private(set) var userInfo: UserInfo = [:]
    /// Whether the client waits for the listeners.
    package private(set) var waits = false

    /// Reads parameters that match the declaration of the method.
    package init(_ parameters: JSONObject) {
        let members = parameters.members
        for place in members.indices {
            let key = members[place].key
            switch members[place].value {
            case .string(let text) where key.hasSameBytes(as: "name"): name = text
            case .object(let object) where key.hasSameBytes(as: "userInfo"): userInfo = object
            case .bool(let flag) where key.hasSameBytes(as: "wait"): waits = flag
            default: break
            }
        }
    }
}
