// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySystemd
import Logging

nonisolated extension Logger.Metadata {
    /// The metadata of a record of this kind, which `journalctl -x` explains.
    ///
    /// - Parameter fields: further metadata, which become fields of the record.
    static func kind(_ kind: MessageID, _ fields: Self = [:]) -> Self {
        var all = fields
        all["MESSAGE_ID"] = "\(kind.rawValue)"
        return all
    }
}
