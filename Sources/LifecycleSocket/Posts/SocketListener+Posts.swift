// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import LifecycleListeners
internal import Varlink

/// `Post`, which is what the socket does most.
extension SocketListener {
    /// The methods of `io.belfry.Lifecycle` that take calls without an answer right from the message.
    var onewayMethods: [String: VarlinkOnewayHandler] {
        ["Post": VarlinkOnewayHandler { [intake] in intake.take($0, $1, by: $2) }]
    }

    func post(_ request: VarlinkRequest) {
        let wish = PostWish(request.parametersText)
        guard let name = LifecycleNotification.Name(wish.name), !name.isTransition else {
            return request.fail("io.belfry.Lifecycle.InvalidName", ["name": .string(wish.name)])
        }
        let client = client(of: request)
        client.mayPostBy = intake.rules
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
}
