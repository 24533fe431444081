// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
internal import Glibc
internal import Lifecycle
internal import Varlink

/// What the socket uses of the configuration.
package nonisolated struct SocketParameters: Sendable {
    /// `[Socket]`.
    let socket: SocketSettings
    /// Who may do what.
    let access: SocketPermissions
    /// The limits of connections, messages and memory.
    let limits: VarlinkLimits
    /// What each signal does, by its number.
    let signals: [Int32: SignalAction]
    /// Whether the process stops itself with SIGSTOP when it is paused.
    let stopsOnPause: Bool

    /// From the settings of `belfry.conf`.
    package init(_ settings: BelfrySettings) {
        socket = settings.socket
        access = SocketPermissions(socket, owner: geteuid(), group: socket.groupNumber)
        limits = VarlinkLimits(socket, group: access.group)
        signals = settings.signals.actions
        stopsOnPause = settings.service.stopOnPause
    }
}

nonisolated extension VarlinkLimits {
    /// The limits that `[Socket]` sets.
    fileprivate init(_ settings: SocketSettings, group: UInt32?) {
        self.init()
        connections = settings.connectionsMax
        self.group = group
        connectionsPerUser = settings.connectionsPerUserMax
        messageSize = settings.frameMax
        memoryPerUser = settings.memoryPerUserMax
        memory = settings.memoryMax
    }

    /// Descriptors for everything else: files, timers, buses, and connections of root and the service's own user.
    private static let reservedDescriptors = 128

    /// The same with at most as many connections as the descriptor limit allows now (`RLIMIT_NOFILE`, getrlimit(2)).
    var possible: VarlinkLimits {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return self }
        var limits = self
        limits.connections = min(connections, max(1, Int(clamping: limit.rlim_cur) - Self.reservedDescriptors))
        return limits
    }
}
