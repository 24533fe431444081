// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Takes records, to write them somewhere.
public protocol RecordWriter: AnyObject {
    /// Writes one record. It never fails: there is nobody left to tell.
    func write(_ record: JournalRecord)
}
