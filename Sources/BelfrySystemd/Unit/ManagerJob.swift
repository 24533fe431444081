// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A job in the service manager's queue (org.freedesktop.systemd1(5), `ListJobs`).
package nonisolated struct ManagerJob: Sendable, Equatable {
    /// Its number.
    package let id: UInt32
    /// The unit that it is about.
    package let unit: String
    /// What it does: `start`, `stop`, `restart`, `reload`, …
    package let type: String
    /// `waiting` or `running`.
    package let state: String

    /// A job.
    package init(id: UInt32, unit: String, type: String, state: String) {
        self.id = id
        self.unit = unit
        self.type = type
        self.state = state
    }

    /// Reads the reply of `ListJobs`.
    @MainActor static func list(_ message: BusMessage) throws(BusError) -> [ManagerJob] {
        try message.array(of: "(usssoo)") { () throws(BusError) in
            try message.structure("usssoo") { () throws(BusError) in
                let id = UInt32(truncatingIfNeeded: try message.unsigned())
                let job = Self(id: id, unit: try message.text(), type: try message.text(), state: try message.text())
                _ = (try message.text(), try message.text())
                return job
            }
        }
    }
}
