// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a connection holds in memory for its client.
extension ServerConnection {
    /// Counts what the connection holds now. It may be closed for that.
    func count() {
        let now = isClosed ? 0 : frames.heldBytes + queuedBytes + queued * Self.queuedCost + pendingBytes
        guard now != heldBytes else { return }
        let change = now - heldBytes
        heldBytes = now
        server?.count(change, of: user)
    }

    /// What a reply that waits takes besides its bytes.
    private static let queuedCost = 32

    /// Too much is held, and here most of it: a subscriber counts as too slow, any other connection is closed.
    func giveUp(_ problem: VarlinkProblem.Kind) {
        let before = heldBytes
        if let broadcast {
            broadcast.overrun(self)
            count()
            if isClosed || heldBytes < before { return }
        }
        server?.report(problem, peer)
        close()
    }
}
