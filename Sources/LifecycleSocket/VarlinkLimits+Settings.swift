// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Varlink

nonisolated extension VarlinkLimits {
    /// The limits that `[Socket]` sets. Replies to a slow subscriber end at `QueueMax` with a clear error, long before
    /// the connection would be closed.
    init(_ settings: SocketSettings) {
        self.init()
        connections = settings.connectionsMax
        connectionsPerUser = settings.connectionsPerUserMax
        messageSize = settings.frameMax
        memoryPerUser = settings.memoryPerUserMax
        memory = settings.memoryMax
        // A subscriber that is too slow hears of it: what one turn brings may go beyond what is left to it.
        queuedBytes = settings.queueSizeMax + 2 * settings.frameMax + (1 << 20)
        queuedReplies = max(queuedReplies, settings.queueMax + settings.replayMax + 16)
    }
}
