// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// An absolute path whose components may be patterns: `*`, `?` and `[…]` as in glob(7), `\` before a character that
/// stands for itself. A pattern matches no name with a leading dot, unless it begins with one.
package nonisolated struct PathPattern: Sendable {
    private static let special: Set<Unicode.Scalar> = ["*", "?", "[", "\\"]

    /// The path before the first pattern: `/` at least, or the whole path if there is no pattern.
    package let prefix: String
    /// The components from the first pattern on.
    package let patterns: [String]

    /// Splits a path that is absolute and has no `..`.
    package init(_ text: String) {
        let components = text.unicodeScalars.split(separator: "/")
        let plain = components.prefix { !Self.isPattern($0) }
        prefix = "/" + plain.map { Self.unescaped($0) }.joined(separator: "/")
        patterns = components.dropFirst(plain.count).map { String($0) }
    }

    /// Whether a name matches one component (fnmatch(3)).
    package static func matches(_ pattern: String, _ name: UnsafePointer<CChar>) -> Bool {
        fnmatch(pattern, name, FNM_PERIOD) == 0
    }

    /// The text as a pattern that matches nothing else.
    static func escaped(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.flatMap { special.contains($0) ? ["\\", $0] : [$0] }))
    }

    /// Whether `path` matches, or is below a directory that matches.
    func holds(_ path: String) -> Bool { rest(of: path) != nil }

    /// Whether `path` matches.
    func matches(_ path: String) -> Bool { rest(of: path) == 0 }

    /// The number of components of `path` below a match; nil if there is no match.
    private func rest(of path: String) -> Int? {
        guard AbsolutePath.isPath(path, below: prefix) else { return nil }
        let below = path.utf8.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "/"))
        guard below.count >= patterns.count,
            zip(patterns, below).allSatisfy({ Self.matches($0, String(Substring($1))) })
        else { return nil }
        return below.count - patterns.count
    }

    private static func isPattern(_ component: Substring.UnicodeScalarView) -> Bool {
        var isEscaped = false
        for scalar in component {
            if !isEscaped, scalar != "\\", special.contains(scalar) { return true }
            isEscaped = !isEscaped && scalar == "\\"
        }
        return false
    }

    private static func unescaped(_ component: Substring.UnicodeScalarView) -> String {
        var isEscaped = false
        var text = String.UnicodeScalarView()
        for scalar in component {
            isEscaped = !isEscaped && scalar == "\\"
            if !isEscaped { text.append(scalar) }
        }
        return String(text)
    }
}
