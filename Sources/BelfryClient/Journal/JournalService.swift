// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc
internal import BelfrySystemd
internal import BelfryLinux

/// A service whose records are read. Anybody may write records in its name: those count of which journald itself says
/// (systemd.journal-fields(7), «Trusted Journal Fields») that they come from its unit, from root or from whoever asks.
package nonisolated struct JournalService: Sendable, Equatable {
    private static let suffix = ".service"

    private let name: String
    private let uid: UInt32

    /// The service of this name, as the journal calls it (`SYSLOG_IDENTIFIER`), whose unit is called the same; or that of a
    /// unit (`NAME.service`), whatever it is called itself.
    ///
    /// - Parameter uid: who asks.
    package init(_ name: String, askedBy uid: UInt32 = geteuid()) {
        self.name = name
        self.uid = uid
    }

    /// Leaves only its records in a journal without other matches.
    func select(in journal: SystemJournal) throws(SystemError) {
        if name.hasSuffix(Self.suffix) {
            try journal.match("_SYSTEMD_UNIT", name)
            try journal.or()
            try journal.match("_SYSTEMD_USER_UNIT", name)
        } else {
            try journal.match("SYSLOG_IDENTIFIER", name)
            try journal.and()
            try journal.match("_SYSTEMD_UNIT", name + Self.suffix)
            try journal.or()
            try journal.match("_UID", "0")
        }
        try journal.match("_UID", "\(uid)")
        try journal.and()
    }
}
