// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// Takes posts that want no answer right from their messages, as long as there is nothing about them that asks for a closer
/// look.
final class PostIntake {
    /// The number of the rules that say who may post, counted from 1.
    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var rules = 1
    @exclusivity(unchecked)  // as above
    private var last: LifecycleNotification.Name?
    private let mediator: LifecycleMediator

    init(_ mediator: LifecycleMediator) { self.mediator = mediator }

    /// Other rules hold from now on: who has posted before is asked for his permission anew.
    func changeRules() { rules += 1 }

    /// Posts what a client that has posted before has sent. Its user info is passed on as it came.
    ///
    /// - Returns: false, and nothing was done, when it has to go the way of all calls.
    func take(_ message: ArraySlice<UInt8>, _ parameters: Range<Int>, by client: (any AnyObject & Sendable)?) -> Bool {
        guard let client = client as? SocketClient, client.mayPostBy == rules,
            let post = PlainPost(message, parameters, last: last)
        else { return false }
        if post.name != last { last = post.name }
        let userInfo = DeferredUserInfo(message[post.userInfo], read: PostWish.userInfo)
        mediator.post(post.name, userInfo: userInfo, origin: client.origin)
        return true
    }
}
