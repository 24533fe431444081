// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc

/// Which hosts a call is for: a pattern for their names, as in fnmatch(3).
nonisolated struct HostPattern: Sendable, Equatable {
    private static let longest = 256

    private let text: String?

    /// A pattern; nil for all hosts.
    ///
    /// - Returns: nil for a text that is too long.
    init?(_ text: String?) {
        guard text?.utf8.count ?? 0 <= Self.longest else { return nil }
        self.text = text
    }

    func matches(_ name: String) -> Bool { text.map { fnmatch($0, name, 0) == 0 } ?? true }
}
