// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import LifecycleListeners
internal import Varlink

/// `Post`, which is what the socket does most.
extension SocketListener {
    func post(_ request: VarlinkRequest) {
        let parameters = PostParameters(request.parameters)
        guard let name = LifecycleNotification.Name(parameters.name), !name.isTransition else {
            return request.fail("io.belfry.Lifecycle.InvalidName", ["name": .string(parameters.name)])
        }
        let origin = origin(of: request)
        guard parameters.waits else {
            let sequence = mediator.post(name, userInfo: parameters.userInfo, origin: origin)
            return request.reply([
                "sequence": .int(Int64(sequence)), "result": "posted", "reports": [],
            ])
        }
        mediator.post(name, userInfo: parameters.userInfo, origin: origin) {
            request.reply(LifecycleReplies.result($0))
        }
    }
}
