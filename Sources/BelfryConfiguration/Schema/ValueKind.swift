// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// What the value of a key must look like, and how it is read. A library user adds kinds by making more of these.
package nonisolated struct ValueKind: Sendable {
    /// Reads the text of one assignment. Doubts that are no errors go to `doubts`.
    package typealias Parser =
        @Sendable (_ text: String, _ doubts: inout [ValueProblem]) throws(ValueProblem) ->
        SettingValue

    /// What to call it in documentation, such as `time span`.
    package let name: String
    /// Whether repeated assignments append, and an empty one empties the list, instead of the last one winning and
    /// an empty one bringing the default back. The parser of a list gives `SettingValue.texts`.
    let isList: Bool
    /// Reads one assignment.
    package let parse: Parser

    /// A kind of value.
    package init(_ name: String, isList: Bool = false, parse: @escaping Parser) {
        self.name = name
        self.isList = isList
        self.parse = parse
    }

    /// `yes` or `no`.
    package static let boolean = ValueKind("boolean") { text, _ throws(ValueProblem) in
        .boolean(try BooleanText.parse(text))
    }

    /// A time span of at least `minimum`, or `infinity`.
    static func timeSpan(minimum: Duration = .zero) -> ValueKind {
        ValueKind("time span") { text, _ throws(ValueProblem) in
            guard let span = try TimeSpanText.parse(text) else { return .unlimited }
            guard span >= minimum else {
                throw ValueProblem("time span is too short, expected at least \(minimum)")
            }
            return .duration(span)
        }
    }

    /// A size in `range`; with `infinity` as well, where `isOptional` says so.
    package static func size(_ range: ClosedRange<UInt64> = 0...(.max), isOptional: Bool = false) -> ValueKind {
        ValueKind("size") { text, _ throws(ValueProblem) in
            guard let bytes = try ByteSizeText.parse(text) else {
                guard isOptional else { throw ValueProblem("expected a size, it cannot be 'infinity'") }
                return .unlimited
            }
            guard range.contains(bytes) else {
                throw ValueProblem("size is out of range, expected \(range.lowerBound) to \(range.upperBound) bytes")
            }
            return .bytes(bytes)
        }
    }

    /// A decimal number in `range`; with `infinity` as well, where `isOptional` says so.
    package static func integer(_ range: ClosedRange<Int>, isOptional: Bool = false) -> ValueKind {
        ValueKind("number") { text, _ throws(ValueProblem) in
            if isOptional, text.hasSameBytes(as: "infinity") { return .unlimited }
            guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }) else {
                throw ValueProblem("expected a whole number, not \(DisplayText.quoted(text))")
            }
            guard let number = Int(text), range.contains(number) else {
                let bounds = "\(range.lowerBound) to \(range.upperBound)"
                throw ValueProblem("number \(DisplayText.quoted(text)) is out of range, expected \(bounds)")
            }
            return .integer(number)
        }
    }

    /// One of the given words.
    static func choice(_ words: [String]) -> ValueKind {
        ValueKind("one of " + words.joined(separator: ", ")) { text, _ throws(ValueProblem) in
            guard words.contains(where: text.hasSameBytes) else {
                let list = words.map { "'\($0)'" }.joined(separator: ", ")
                let question = NearestName.question(text, in: words)
                throw ValueProblem("expected one of \(list), not \(DisplayText.quoted(text))\(question)")
            }
            return .text(text)
        }
    }
}

/// Why a value, or a key, cannot be taken as it stands.
package nonisolated struct ValueProblem: Error, Sendable, Equatable {
    /// What is wrong: lower case, no final stop.
    package let message: String
    /// Where in the value, in Unicode scalars from its beginning.
    package let offset: Int

    /// A problem at `offset`.
    package init(_ message: String, offset: Int = 0) {
        self.message = message
        self.offset = offset
    }
}

/// A value of a setting, read and checked. Texts are compared by their bytes.
package nonisolated enum SettingValue: Sendable, Equatable {
    /// `yes` or `no`.
    case boolean(Bool)
    /// A time span.
    case duration(Duration)
    /// A number of bytes.
    case bytes(UInt64)
    /// A whole number.
    case integer(Int)
    /// Text, checked by its kind.
    case text(String)
    /// The words of a list.
    case texts([String])
    /// `infinity`, where the kind allows it.
    case unlimited

    /// Whether both are the same value.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.duration(let left), .duration(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        case (.texts(let left), .texts(let right)): left.elementsEqual(right) { $0.hasSameBytes(as: $1) }
        case (.unlimited, .unlimited): true
        default: false
        }
    }
}
