// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Writes nothing.
public final class NullWriter: RecordWriter {
    /// Makes one.
    public init() {}

    /// Drops the record.
    public func write(_ record: JournalRecord) {}
}
