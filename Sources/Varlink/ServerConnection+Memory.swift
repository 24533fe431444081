// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a connection holds in memory for its client.
extension ServerConnection {
    /// Counts what the connection holds now. It may be closed for that.
    func count() {
        let (held, shared) = isClosed ? (0, 0) : (ownBytes, sharedBytes)
        guard held != heldBytes || shared != heldSharedBytes else { return }
        let change = (held - heldBytes, shared - heldSharedBytes)
        (heldBytes, heldSharedBytes) = (held, shared)
        server?.count(change, of: user)
    }

    private var ownBytes: Int {
        frames.heldBytes + queuedBytes - sharedBytes + queued * Self.queuedCost + pendingBytes
    }

    /// What a reply that waits takes besides its bytes.
    private static let queuedCost = 32

    /// Too much is held, and here most of it: a subscriber counts as too slow, any other connection is closed.
    func giveUp(_ problem: VarlinkProblem.Kind) {
        let before = heldBytes + heldSharedBytes
        if let broadcast {
            broadcast.overrun(self)
            count()
            if isClosed || heldBytes + heldSharedBytes < before { return }
        }
        server?.report(problem, peer)
        close()
    }
}
