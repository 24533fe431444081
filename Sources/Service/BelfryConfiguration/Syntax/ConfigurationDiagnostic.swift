// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux

/// A problem in the configuration, and its position.
package nonisolated struct ConfigurationDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// An error makes the whole configuration invalid, a warning does not.
    package enum Severity: String, Sendable {
        case error, warning
    }

    package let position: ConfigurationPosition
    package let severity: Severity
    /// The message: lower case, no final stop, safe to print on a terminal.
    package let message: String
    /// The error number of a failed system call.
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

    /// `diagnostics` in the order of `files` and of their lines; those in other files come first.
    static func sorted(
        _ diagnostics: [ConfigurationDiagnostic], files: [String]
    ) -> [ConfigurationDiagnostic] {
        let order = Dictionary(files.enumerated().map { (UTF8Text($1), $0) }) { first, _ in first }
        let keyed = diagnostics.enumerated().map { index, diagnostic in
            let position = diagnostic.position
            return (key: [order[UTF8Text(position.file)] ?? -1, position.line, position.column, index], diagnostic)
        }
        return keyed.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.1)
    }
}

/// A position in a configuration file. Lines and columns count from 1, columns in Unicode scalars.
package nonisolated struct ConfigurationPosition: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file as it was opened.
    package let file: String
    package let line: Int
    package let column: Int

    /// A position in `file`, by default its beginning.
    package init(file: String, line: Int = 1, column: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line:column`, as editors and compilers write it.
    package var description: String { "\(SystemError.escape(file)):\(line):\(column)" }
}

/// Collects a limited number of diagnostics in the order in which they are found.
package nonisolated struct DiagnosticList: Sendable {
    package private(set) var diagnostics: [ConfigurationDiagnostic] = []
    /// Whether one of them was an error, also beyond the limit.
    private(set) var hasErrors = false
    private let limit: Int

    /// A list of at most `limit` diagnostics, and one more that says that others were dropped.
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

    /// Adds those of another list.
    mutating func add(_ other: DiagnosticList) {
        for diagnostic in other.diagnostics { add(diagnostic) }
        hasErrors = hasErrors || other.hasErrors
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
