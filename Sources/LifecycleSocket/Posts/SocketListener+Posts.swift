// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import LifecycleListeners
internal import Varlink

/// `Post`, which is what the socket does most.
extension SocketListener {
    /// The methods of `io.belfry.Lifecycle` that take calls without an answer right from the message.
    var onewayMethods: [String: VarlinkOnewayCall.Handler] {
        // The server that calls this is this listener's own.
        ["Post": { [unowned(unsafe) self] call in postPlain(call) }]
    }

    func post(_ request: VarlinkRequest) {
        let wish = PostWish(request)
        guard let name = LifecycleNotification.Name(wish.name), !name.isTransition else {
            return request.fail("io.belfry.Lifecycle.InvalidName", ["name": .string(wish.name)])
        }
        let client = client(of: request)
        client.mayPostBy = rules
        guard wish.waits else {
            let sequence = mediator.post(name, userInfo: wish.userInfo, origin: client.origin)
            return request.reply([
                "sequence": .int(Int64(sequence)), "result": "posted", "reports": [],
            ])
        }
        mediator.post(name, userInfo: wish.userInfo, origin: client.origin) {
            request.reply(LifecycleReplies.result($0))
        }
    }

    /// Posts what a client that has posted before wants no answer to. Its user info is passed on as it came. Answers false
    /// when there is anything about it that asks for a closer look.
    private func postPlain(_ call: borrowing VarlinkOnewayCall) -> Bool {
        guard let client = call.attachment as? SocketClient, client.mayPostBy == rules,
            let post = PlainPost(call.parameters, last: lastPosted)
        else { return false }
        if post.name != lastPosted { lastPosted = post.name }
        let userInfo = DeferredUserInfo(post.userInfo, read: PostWish.userInfo)
        mediator.post(post.name, userInfo: userInfo, origin: client.origin)
        return true
    }
}
