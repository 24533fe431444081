// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Glibc
internal import Varlink

nonisolated extension VarlinkLimits {
    /// The limits that `[Socket]` sets. Replies to a slow subscriber end at `QueueMax` with a clear error, long before
    /// the connection would be closed.
    init(_ settings: SocketSettings) {
        self.init()
        connections = min(settings.connectionsMax, Self.possibleConnections)
        connectionsPerUser = settings.connectionsPerUserMax
        messageSize = settings.frameMax
        memoryPerUser = settings.memoryPerUserMax
        memory = settings.memoryMax
        // A subscriber that is too slow hears of it: what one turn brings may go beyond what is left to it.
        queuedBytes = settings.queueSizeMax + 2 * settings.frameMax + (1 << 20)
        queuedReplies = max(queuedReplies, settings.queueMax + settings.replayMax + 16)
    }

    /// Descriptors that are kept for everything else: files, timers, buses, and connections of root and the service's user.
    private static let reservedDescriptors = 128

    /// How many connections the process has descriptors for (`RLIMIT_NOFILE`, getrlimit(2)).
    static var possibleConnections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return max(1, Int(clamping: limit.rlim_cur) - reservedDescriptors)
    }
}
