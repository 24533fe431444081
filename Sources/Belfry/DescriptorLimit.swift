// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import CBelfry
internal import BelfryListeners
internal import BelfrySystemd
internal import BelfryLinux

/// How many descriptors the process may have open (getrlimit(2), `RLIMIT_NOFILE`): the soft limit is raised to what the
/// configuration needs, as far as the hard one goes.
struct DescriptorLimit {
    /// What is open besides connections: sources, the journal's files, and what the program itself opens.
    private static let reserve: UInt64 = 512
    /// More is never asked for.
    private static let most: UInt64 = 8192

    /// The soft limit that the process was started with, which is what a child is to have: programs that use select(2) do
    /// not work above 1024.
    let original: UInt64

    /// Raises the limit.
    ///
    /// - Parameters:
    ///   - connections: how many clients may be connected at a time; 0 without a socket.
    ///   - log: is told when the system does not allow as many descriptors as that takes.
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
                    + "clients beyond that have to wait", .configurationDoubt)
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
