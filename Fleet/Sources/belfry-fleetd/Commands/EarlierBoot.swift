// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryJSON
import BelfryLinux
import BelfrySystemd

/// The notifications of a boot that has ended, from the journal.
nonisolated struct EarlierBoot: Sendable {
    private static let most = (notifications: 1_000, bytes: 4 << 20)

    private static let needed = [
        "BELFRY_SEQUENCE", "BELFRY_STATE", "BELFRY_PREVIOUS_STATE", "BELFRY_ORIGIN", "BELFRY_REALTIME_USEC",
        "BELFRY_MONOTONIC_USEC",
    ]

    private let unit: String
    private let bootID: String

    /// - Parameter socket: that of the service, after which its unit is named.
    /// - Returns: nil for what is no id of a boot, and for a socket of no unit.
    init?(_ bootID: String, socket: String) {
        guard let unit = ServiceUnit(socket: socket), let bootID = SystemIdentity.parse(bootID) else { return nil }
        self.unit = "\(unit.name).service"
        self.bootID = bootID
    }

    /// Those after a number, in order; the first 1,000 or 4 MiB. It reads files, so it must not run on the main thread.
    func notifications(after: Int64) throws(SystemError) -> [JSONObject] {
        let journal = try SystemJournal()
        try journal.match("_BOOT_ID", bootID)
        try journal.match("_SYSTEMD_UNIT", unit)
        try journal.seekHead()
        var found: [JSONObject] = []
        var bytes = 0
        while try journal.next(), found.count < Self.most.notifications, bytes < Self.most.bytes {
            let fields = journal.fields(JournalNotificationReader.prefix)
            guard let notification = whole(fields),
                let number = notification["sequence"]?.intValue, number > after
            else { continue }
            // A process may have been killed after it wrote a record and before it sent it; the number was used again.
            if let last = found.last?["sequence"]?.intValue, number <= last { found.removeLast() }
            found.append(notification)
            bytes += fields.values.reduce(0) { $0 + $1.utf8.count }
        }
        return found
    }

    /// The notification of a record; nil when the record does not say all that was sent.
    private func whole(_ fields: [String: String]) -> JSONObject? {
        let ofOrigin =
            switch fields["BELFRY_ORIGIN"].map({ UTF8Text($0) }) {
            case "signal": ["BELFRY_SIGNAL", "BELFRY_SIGNAL_VALUE", "BELFRY_SENDER_PID", "BELFRY_SENDER_UID"]
            case "socket": ["BELFRY_SENDER_PID", "BELFRY_SENDER_UID"]
            default: [String]()
            }
        guard (Self.needed + ofOrigin).allSatisfy({ fields[$0] != nil }),
            JournalNotificationReader.userInfo(fields) != nil
        else { return nil }
        return JournalNotificationReader.object(fields, bootID: bootID)
    }
}
