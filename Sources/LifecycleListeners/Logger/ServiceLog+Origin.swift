// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
package import ServiceManager

extension ServiceLog {
    /// Writes a record of what somebody did, with the fields that say who it was.
    package func write(
        _ priority: JournalRecord.Priority, _ message: String, _ id: MessageID, by origin: LifecycleOrigin,
        fields: [(name: String, value: String)] = []
    ) {
        let who = [("BELFRY_ORIGIN", origin.kind)] + LifecycleRecords.fields(of: origin)
        write(JournalRecord(priority, message, id: id.rawValue, fields: who + fields))
    }
}
