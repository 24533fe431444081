// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Text from a configuration file with the position of each scalar. A value that is continued over several lines
/// consists of several runs.
package nonisolated struct IniText: Sendable, Equatable {
    private struct Run: Equatable {
        let start: Int
        let line: Int
        let column: Int
    }

    /// The path of the file.
    package let file: String
    private(set) var scalars: [Unicode.Scalar] = []
    private var runs: [Run] = []

    /// Empty text from `file`.
    init(file: String) {
        self.file = file
    }

    package var string: String { String(String.UnicodeScalarView(scalars)) }

    package var position: ConfigurationPosition { position(at: 0) }

    /// The position of the scalar at `offset`; an offset after the end continues in the last line.
    package func position(at offset: Int) -> ConfigurationPosition {
        var (lower, upper) = (0, runs.count)
        while upper - lower > 1 {
            let middle = (lower + upper) / 2
            if runs[middle].start <= offset { lower = middle } else { upper = middle }
        }
        guard lower < upper else { return ConfigurationPosition(file: file) }
        let run = runs[lower]
        return ConfigurationPosition(file: file, line: run.line, column: run.column + offset - run.start)
    }

    mutating func append(_ more: some Sequence<Unicode.Scalar>, line: Int, column: Int) {
        runs.append(Run(start: scalars.count, line: line, column: column))
        scalars.append(contentsOf: more)
    }

    /// The backslash that continues a line reads as a space.
    mutating func replaceLastWithSpace() {
        scalars[scalars.count - 1] = " "
    }

    /// The part in `range`, without surrounding white space.
    func trimmed(_ range: Range<Int>) -> IniText {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        while lower < upper, Self.isSpace(scalars[lower]) { lower += 1 }
        while lower < upper, Self.isSpace(scalars[upper - 1]) { upper -= 1 }
        var part = IniText(file: file)
        let start = position(at: lower)
        part.runs = [Run(start: 0, line: start.line, column: start.column)]
        for run in runs where run.start > lower && run.start < upper {
            part.runs.append(Run(start: run.start - lower, line: run.line, column: run.column))
        }
        part.scalars = Array(scalars[lower..<upper])
        return part
    }

    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\r" || scalar == "\n"
    }

    /// Whether a scalar could move the cursor, change a colour or reorder a line.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }
}

/// One section of a file: `[Name]` or `[Name INSTANCE]`, and its assignments.
package nonisolated struct IniSection: Sendable, Equatable {
    package let name: IniText
    /// The second word in the brackets.
    package let instance: IniText?
    /// The assignments in the order of the file.
    package internal(set) var entries: [IniEntry] = []
}

/// One assignment, `Key=Value`.
package nonisolated struct IniEntry: Sendable, Equatable {
    /// The key as written.
    package let key: IniText
    /// The value as written, with continued lines joined, without surrounding white space.
    package let value: IniText

    /// Whether the assignment takes back those before it.
    var isEmpty: Bool { value.scalars.isEmpty }
}
