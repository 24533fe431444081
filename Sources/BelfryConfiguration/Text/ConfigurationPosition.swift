// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A place in a configuration file. Lines and columns count from 1, columns in Unicode scalars.
package nonisolated struct ConfigurationPosition: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file as it was opened.
    package let file: String
    /// The line, from 1.
    package let line: Int
    /// The column, from 1.
    package let column: Int

    /// A place in `file`; its beginning, unless said otherwise.
    package init(file: String, line: Int = 1, column: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line:column`, as editors and compilers write it.
    package var description: String { "\(DisplayText.escaped(file)):\(line):\(column)" }
}
