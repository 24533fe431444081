// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd

/// Stores the records it is given.
package final class RecordingWriter: RecordWriter {
    package private(set) var records: [JournalRecord] = []

    package let showsFields: Bool

    package init(showsFields: Bool = true) { self.showsFields = showsFields }

    package func write(_ record: JournalRecord) { records.append(record) }

    /// The fields of the record at `index`, by name.
    package func fields(_ index: Int) -> [String: String] {
        Dictionary(JournalFixture.record(records[index].fields.bytes[...]).map { ($0.name, $0.value) }) { $1 }
    }
}
