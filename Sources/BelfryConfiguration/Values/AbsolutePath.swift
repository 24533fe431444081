// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Paths in a configuration: absolute, free of `..` and control characters, and as they are, without specifiers.
package nonisolated enum AbsolutePath {
    private static let longest = 4095

    /// `text` with repeated slashes, `.` components and a slash at the end taken out.
    ///
    /// - Throws: `ValueProblem` when it is relative, goes up, is too long or holds a control character.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        guard text.unicodeScalars.first == "/" else {
            throw ValueProblem("expected an absolute path, not \(DisplayText.quoted(text))")
        }
        try checkCharacters(text)
        guard text.utf8.count <= longest else { throw ValueProblem("path is longer than \(longest) bytes") }
        let components = text.unicodeScalars.split(separator: "/").map(String.init).filter { $0 != "." }
        guard !components.contains("..") else {
            throw ValueProblem("path \(DisplayText.quoted(text)) must not contain '..'")
        }
        return "/" + components.joined(separator: "/")
    }

    /// A path that fits a Unix socket address (unix(7)), or `@NAME` for an abstract one.
    ///
    /// - Throws: `ValueProblem` when it is neither, or longer than 107 bytes.
    package static func parseSocket(_ text: String) throws(ValueProblem) -> String {
        let isAbstract = text.unicodeScalars.first == "@"
        guard isAbstract || text.unicodeScalars.first == "/" else {
            throw ValueProblem("expected an absolute path or an abstract name '@NAME', not \(DisplayText.quoted(text))")
        }
        if isAbstract { try checkCharacters(text) }
        let path = isAbstract ? text : try parse(text)
        guard path.utf8.count > 1 else { throw ValueProblem("\(DisplayText.quoted(text)) names no socket") }
        guard path.utf8.count <= 107 else { throw ValueProblem("socket path is longer than 107 bytes") }
        return path
    }

    private static func checkCharacters(_ text: String) throws(ValueProblem) {
        if let offset = Array(text.unicodeScalars).firstIndex(where: DisplayText.isControl) {
            throw ValueProblem("path \(DisplayText.quoted(text)) contains a control character", offset: offset)
        }
    }
}
