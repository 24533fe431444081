// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// Paths in a configuration: absolute, without `..`, control characters and specifiers.
package nonisolated enum AbsolutePath {
    private static let longest = 4095

    /// `text` without repeated slashes, `.` components and a trailing slash.
    ///
    /// - Throws: `ValueProblem` if it is relative, contains `..` or a control character, or is too long.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        guard text.unicodeScalars.first == "/" else {
            throw ValueProblem("expected an absolute path, not \(DisplayText.quoted(text))")
        }
        try checkCharacters(text)
        guard text.utf8.count <= longest else { throw ValueProblem("path is longer than \(longest) bytes") }
        let components = text.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        guard !components.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw ValueProblem("path \(DisplayText.quoted(text)) must not contain '..'")
        }
        return "/" + components.map { String(Substring($0)) }.joined(separator: "/")
    }

    /// A path that fits a Unix socket address (unix(7)), or `@NAME` for an abstract one.
    ///
    /// - Throws: `ValueProblem` if it is neither, or longer than 107 bytes.
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

    /// Whether `path` is `directory` or below it, compared as text.
    package static func isPath(_ path: String, below directory: String) -> Bool {
        let rest = path.utf8.dropFirst(directory.utf8.count)
        return directory.hasSameBytes(as: "/")
            || path.utf8.starts(with: directory.utf8) && (rest.isEmpty || rest.first == UInt8(ascii: "/"))
    }

    /// `path` without trailing slashes.
    package static func withoutSlash(_ path: String) -> String {
        // `/` stays.
        let last = path.utf8.lastIndex { $0 != UInt8(ascii: "/") } ?? path.startIndex
        return path.utf8.isEmpty ? path : String(Substring(path.utf8[...last]))
    }

    private static func checkCharacters(_ text: String) throws(ValueProblem) {
        if let offset = Array(text.unicodeScalars).firstIndex(where: IniText.isControl) {
            throw ValueProblem("path \(DisplayText.quoted(text)) contains a control character", offset: offset)
        }
    }
}
