// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Where a service listens: `unix:/run/org.example.ftl`, `unix:@abstract` or just the path (UAPI.20, «Service
/// Addresses»). What follows a `;` is ignored, as the specification requires.
package nonisolated struct VarlinkAddress: Sendable, Hashable, CustomStringConvertible {
    /// The path, or `@` and the name of an abstract socket.
    package let path: String

    /// Whether it is the name of an abstract socket.
    package var isAbstract: Bool { path.hasPrefix("@") }

    /// Whether it is the address of a Unix socket. Other schemes (`tcp:`, `exec:`, `ssh:`) are not supported.
    package let isSupported: Bool

    /// Reads an address.
    package init(_ text: String) {
        let prefix = "unix:"
        guard text.hasPrefix(prefix) else {
            path = text
            let scheme = text.prefix { $0 != ":" && $0 != "/" && $0 != "@" }
            isSupported = scheme.isEmpty || scheme.endIndex == text.endIndex || text[scheme.endIndex] != ":"
            return
        }
        path = String(text.dropFirst(prefix.count).prefix { $0 != ";" })
        isSupported = true
    }

    /// The address as clients write it.
    package var description: String { isSupported ? "unix:\(path)" : path }
}
