// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What bounds the memory, descriptors and time that one flush may take, whatever the tree looks like.
package nonisolated struct TreeLimits: Sendable, Equatable {
    /// How many directories below the root are entered. One descriptor is open for each.
    package var depth = 64

    /// How many directory entries are looked at.
    package var entries = 10_000_000

    /// How many files one flush can delete: only this many, the oldest, are remembered, at most twice as many for a
    /// moment.
    package var candidates = 65_536

    /// How many problems a report spells out.
    package var problems = 16

    /// The limits that Belfry uses.
    package init() {}
}
