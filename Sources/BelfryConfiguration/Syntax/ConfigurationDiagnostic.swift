// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// One thing that is wrong in the configuration, and where.
package nonisolated struct ConfigurationDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// How bad it is: an error refuses the whole configuration, a warning does not.
    package enum Severity: String, Sendable {
        case error, warning
    }

    /// Where it is.
    package let position: ConfigurationPosition
    /// Whether it refuses the configuration.
    package let severity: Severity
    /// What is wrong: lower case, no final stop, safe to print on a terminal.
    package let message: String
    /// The error number of the system, where it is the system that refused something.
    package let errorNumber: Int32?

    /// A diagnostic about `position`.
    package init(
        _ severity: Severity, at position: ConfigurationPosition, _ message: String, errorNumber: Int32? = nil
    ) {
        self.position = position
        self.severity = severity
        self.message = message
        self.errorNumber = errorNumber
    }

    /// `file:line:column: error: message`.
    package var description: String { "\(position): \(severity.rawValue): \(message)" }
}

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

/// Collects diagnostics in the order in which they are found, and no more of them than anyone would read.
package nonisolated struct DiagnosticList: Sendable {
    /// What was found.
    package private(set) var diagnostics: [ConfigurationDiagnostic] = []
    /// Whether one of them was an error, shown or not.
    private(set) var hasErrors = false
    private let limit: Int

    /// A list that keeps at most `limit` diagnostics and says when there were more.
    package init(limit: Int = 1000) {
        self.limit = limit
    }

    /// Adds an error.
    package mutating func error(at position: ConfigurationPosition, _ message: String, errorNumber: Int32? = nil) {
        add(ConfigurationDiagnostic(.error, at: position, message, errorNumber: errorNumber))
    }

    /// Adds a warning.
    package mutating func warning(at position: ConfigurationPosition, _ message: String) {
        add(ConfigurationDiagnostic(.warning, at: position, message))
    }

    /// What was found, in the order of `files` and of their lines; what is in none of them comes first.
    package func sorted(files: [String]) -> [ConfigurationDiagnostic] {
        let order = Dictionary(files.enumerated().map { (UTF8Text($1), $0) }) { first, _ in first }
        let keyed = diagnostics.enumerated().map { index, diagnostic in
            let position = diagnostic.position
            return (key: [order[UTF8Text(position.file)] ?? -1, position.line, position.column, index], diagnostic)
        }
        return keyed.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.1)
    }

    private mutating func add(_ diagnostic: ConfigurationDiagnostic) {
        hasErrors = hasErrors || diagnostic.severity == .error
        if diagnostics.count < limit {
            diagnostics.append(diagnostic)
        } else if diagnostics.count == limit {
            let message = "more than \(limit) problems, the others are not shown"
            diagnostics.append(ConfigurationDiagnostic(.error, at: diagnostic.position, message))
        }
    }
}
