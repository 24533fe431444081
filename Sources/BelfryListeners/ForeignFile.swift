// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// A file or directory that another service keeps its own things in. It is neither read nor written.
package nonisolated struct ForeignFile: Error, Sendable, Equatable, CustomStringConvertible {
    /// «unable to use '/var/lib/belfry': it belongs to the service 'videod', set StateDirectory=».
    package let description: String

    /// - Parameters:
    ///   - path: what belongs to the other service.
    ///   - owner: the name of that service.
    ///   - key: the key of a unit, or of `[Service]`, that names another place.
    package init(_ path: String, of owner: String, use key: String) {
        let name = String(String.UnicodeScalarView(owner.unicodeScalars.prefix(64)))
        description =
            "unable to use '\(SystemError.escape(path))': "
            + "it belongs to the service '\(SystemError.escape(name))', set \(key)"
    }
}
