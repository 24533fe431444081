// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ServiceManager

/// Keeps the records it is given.
final class RecordingWriter: RecordWriter {
    private(set) var records: [JournalRecord] = []

    func write(_ record: JournalRecord) { records.append(record) }

    /// The fields of the record at `index`, by name.
    func fields(_ index: Int) -> [String: String] {
        Dictionary(records[index].fields.map { ($0.name, $0.value) }) { $1 }
    }
}
