// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// A program on the other side of the socket as a listener like any other. It is told by replies to its call, and its
/// outcomes come from elsewhere: see `AttachedListenerList`.
final class AttachedListener: LifecycleListener {
    let name: String
    let follows: [String]
    let origin: PeerOrigin
    private let names: [LifecycleNotification.Name]
    private let actions: [LifecycleAction]
    private let deadline: Duration?
    private let tell: Tell

    /// Tells the program of a notification. What it is given hears of its progress and of its outcome; what it returns
    /// gives up.
    typealias Tell = (LifecycleNotification, ListenerProgress, @escaping (ListenerOutcome) -> Void) -> () -> Void

    init(_ wish: AttachmentWish, origin: PeerOrigin, _ tell: @escaping Tell) {
        name = wish.name
        follows = wish.follows
        names = wish.names
        actions = wish.actions
        deadline = wish.deadline
        self.origin = origin
        self.tell = tell
    }

    var answers: [LifecycleAnswer] {
        for name in names { onOutcome(name, deadline: deadline, tell) }
        for action in actions { onOutcome(.performAction, deadline: deadline, action: action, tell) }
    }
}
