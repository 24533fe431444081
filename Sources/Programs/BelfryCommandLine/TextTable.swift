// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Rows in aligned columns, two spaces apart.
package struct TextTable {
    /// The alignment of a column.
    package enum Alignment: Sendable {
        /// For words.
        case left
        /// For numbers.
        case right
    }

    private let headings: [String]
    private let alignments: [Alignment]
    private var rows: [[String]] = []
    private var alarming: Set<Int> = []

    /// The maximum width of a column in characters; longer texts exceed their column.
    private static let widest = 64

    /// The width of a column with these texts.
    package static func width(_ texts: some Sequence<String>) -> Int { min(texts.map(\.count).max() ?? 0, widest) }

    /// A table without rows.
    package init(_ columns: [(heading: String, alignment: Alignment)]) {
        headings = columns.map(\.heading)
        alignments = columns.map(\.alignment)
    }

    /// Adds a row, one text a column; `isAlarming` marks a problem.
    package mutating func add(_ row: [String], isAlarming: Bool = false) {
        if isAlarming { alarming.insert(rows.count) }
        rows.append(row)
    }

    /// The heading and the rows, one line each, without spaces at their ends.
    package func lines(_ style: TextStyle) -> [String] {
        let widths = headings.indices.map { column in
            max(Self.width(rows.lazy.map { $0[column] }), headings[column].count)
        }
        func line(_ cells: [String]) -> String {
            var line = ""
            for (column, cell) in cells.enumerated() {
                if column > 0 { line += "  " }
                let width = widths[column]
                line += alignments[column] == .left ? cell.padded(width) : cell.rightAligned(width)
            }
            return line.trimmedAtEnd
        }
        return [style.bold(line(headings))]
            + rows.enumerated().map { alarming.contains($0) ? style.alarming(line($1)) : line($1) }
    }
}

extension String {
    /// The text without spaces at its end.
    package var trimmedAtEnd: String {
        var text = self
        while text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
        return text
    }

    /// The text with spaces after it up to `width` characters.
    package func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The text with spaces before it up to `width` characters.
    package func rightAligned(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
