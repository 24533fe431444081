// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySystemd
import Logging

/// The kinds of record in the journal that only belfry-fleetd writes. Each has an entry in belfry-fleet.catalog.
nonisolated enum FleetMessageID: String, Sendable, CaseIterable {
    /// The connection to the broker began or ended, or could not be made.
    case broker = "340cdef6e09e4f6980fe19601cb7f812"
    /// The broker refused a message or a subscription.
    case brokerRefusal = "8037d6adc83142248e1bce308bcf0ee7"
    /// A command of another host was done, or not.
    case command = "d6a2fa65eee24b72a826c449263b215b"
    /// Messages of another host were ignored.
    case commandIgnored = "cc6bffe9102e4c4abe848cca2cef8850"
    /// The service of the host is gone, is back, or cannot be followed.
    case service = "6fe36689a72140ffa27cc4c66cbb1ec0"
    /// Operators do not see all of the fleet.
    case view = "783ce0021a7e4bc4b7caa98bda7e6aa8"
    /// A step of a rolling command, or its end.
    case roll = "7ac7ff25aca443afa77628bf99a308b6"
    /// Commands could not be stored or read.
    case stored = "939a937b5c3b4d27be5e1ed467df6b12"
}

nonisolated extension Logger.Metadata {
    /// The metadata of a record of this kind, which `journalctl -x` explains.
    ///
    /// - Parameter fields: further metadata, which become fields of the record.
    static func kind(_ kind: FleetMessageID, _ fields: Self = [:]) -> Self { id(kind.rawValue, fields) }

    /// The metadata of a record of a kind that every service has.
    static func kind(_ kind: MessageID) -> Self { id(kind.rawValue, [:]) }

    private static func id(_ id: String, _ fields: Self) -> Self { fields.merging(["MESSAGE_ID": "\(id)"]) { $1 } }
}
