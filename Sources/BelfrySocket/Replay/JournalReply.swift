// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A notification from the journal as it is sent.
package nonisolated struct JournalReply: Sendable, Equatable {
    /// Its number.
    package let number: UInt64
    /// The reply as it is sent; empty when it is not wanted.
    package private(set) var message: [UInt8] = []
    /// Whether its name was asked for.
    let isWanted: Bool
    /// Whether the record says all that was sent.
    let isWhole: Bool

    init(number: UInt64, message: [UInt8] = [], isWanted: Bool, isWhole: Bool) {
        self.number = number
        self.message = message
        self.isWanted = isWanted
        self.isWhole = isWhole
    }
}
