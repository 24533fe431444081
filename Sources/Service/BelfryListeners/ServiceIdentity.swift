// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The service, its version and this run of it.
package nonisolated struct ServiceIdentity: Sendable, Equatable {
    /// The name of the service.
    package let service: String
    /// Its version.
    package let version: String
    /// The kernel's id of this boot; empty if unknown.
    package let bootID: String
    /// The id of this run of the unit; nil outside of systemd.
    package let invocationID: String?
    /// The main process.
    package let pid: Int32
    /// When it started, by CLOCK_MONOTONIC.
    package let startUsec: UInt64

    package init(
        service: String, version: String, bootID: String, invocationID: String?, pid: Int32, startUsec: UInt64
    ) {
        self.service = service
        self.version = version
        self.bootID = bootID
        self.invocationID = invocationID
        self.pid = pid
        self.startUsec = startUsec
    }
}
