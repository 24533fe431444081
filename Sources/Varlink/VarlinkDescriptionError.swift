// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Where the text of an interface description is wrong.
public nonisolated struct VarlinkDescriptionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public let reason: String
    /// The line, counted from 1.
    public let line: Int
    /// The column, counted in bytes from 1.
    public let column: Int

    init(_ reason: String, line: Int, column: Int) {
        self.reason = reason
        self.line = line
        self.column = column
    }

    /// `12:5: expected a type`
    public var description: String { "\(line):\(column): \(reason)" }
}
