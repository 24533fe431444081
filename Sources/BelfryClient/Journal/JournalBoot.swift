// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd

/// A boot of the machine, as a user names it.
package nonisolated enum JournalBoot: Sendable, Equatable {
    /// By its id.
    case id(JournalID)
    /// By its number from the last one: 0 is this boot, -1 the one before it.
    case offset(Int)

    /// Nil when the text is neither an id nor a number.
    package init?(_ text: String) {
        if let id = JournalID(text) {
            self = .id(id)
        } else if let offset = Int(text) {
            self = .offset(offset)
        } else {
            return nil
        }
    }
}
