// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import CBelfry
internal import BelfryListeners
internal import BelfrySystemd
internal import BelfryLinux

/// The limit of open descriptors (getrlimit(2), `RLIMIT_NOFILE`): the soft limit is raised to what the configuration
/// needs, as far as the hard limit allows.
struct DescriptorLimit {
    /// Descriptors besides connections: sources, the journal's files, and the program's own.
    private static let reserve: UInt64 = 512
    /// The highest limit that is set.
    private static let most: UInt64 = 8192

    /// The soft limit that the process was started with. Children should have it: programs that use select(2) fail
    /// with descriptors above 1023.
    let original: UInt64

    /// Raises the limit.
    ///
    /// - Parameters:
    ///   - connections: the maximum of connected clients; 0 without a socket.
    ///   - log: receives a warning if the hard limit is too low.
    init(connections: Int, log: ServiceLog) {
        let wanted = connections == 0 ? 0 : min(UInt64(clamping: connections) + Self.reserve, Self.most)
        var limits = belfry_descriptor_limits()
        let result = belfry_raise_descriptor_limit(wanted, &limits)
        original = limits.original
        if result < 0 {
            log.write(
                .warning, "\(SystemError(result, verb: "raise", object: "RLIMIT_NOFILE")), ignoring",
                .configurationDoubt)
        } else if limits.now < wanted {
            log.write(
                .warning,
                "RLIMIT_NOFILE allows \(limits.now) descriptors, ConnectionsMax=\(connections) takes \(wanted): "
                    + "clients beyond that are disconnected", .configurationDoubt)
        }
    }

    /// Gives a child the original limit.
    ///
    /// - Throws: `ESRCH` for a child that has gone.
    func restore(inChild pid: Int32) throws(SystemError) {
        try SystemError.check(
            belfry_set_descriptor_limit(pid, original), verb: "restore limit of descriptors of", object: "pid \(pid)")
    }
}
