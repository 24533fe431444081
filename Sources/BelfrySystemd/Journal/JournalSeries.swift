// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The notifications in the journal that one counter has numbered.
package nonisolated struct JournalSeries: Sendable, Equatable {
    /// The counter, 32 hexadecimal digits (`BELFRY_SEQUENCE_ID`).
    package let id: String
    /// The user who writes. Others may write the same, but not as this user.
    package let uid: UInt32
    /// The boot as the service sees it. Within a container the journal may see another one.
    package let bootID: String
    /// Where to look.
    package let files: SystemJournal.Files

    package init(id: String, uid: UInt32, bootID: String, files: SystemJournal.Files = .own) {
        self.id = id
        self.uid = uid
        self.bootID = bootID
        self.files = files
    }

    /// The journal with no other records than these.
    ///
    /// - Throws: `SystemError` when it cannot be read.
    package func open() throws -> SystemJournal {
        let journal = try SystemJournal(files)
        try journal.match("BELFRY_SEQUENCE_ID", id)
        try journal.match("_UID", "\(uid)")
        return journal
    }
}
