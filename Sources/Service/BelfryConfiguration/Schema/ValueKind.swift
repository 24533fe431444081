// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
internal import BelfrySystemd
internal import Lifecycle

/// The kind of a value: how its text is parsed and checked.
package nonisolated struct ValueKind: Sendable {
    /// Parses the text of one assignment. Problems that are no errors are added to `warnings`.
    package typealias Parser =
        @Sendable (_ text: String, _ warnings: inout [ValueProblem]) throws(ValueProblem) ->
        SettingValue

    /// Whether repeated assignments append and an empty one clears the list. For other kinds the last assignment wins and an
    /// empty one restores the default. The parser of a list returns `SettingValue.texts`.
    let isList: Bool
    package let parse: Parser

    /// A kind of value.
    package init(isList: Bool = false, parse: @escaping Parser) {
        self.isList = isList
        self.parse = parse
    }

    /// `yes` or `no`.
    package static let boolean = ValueKind { text, _ throws(ValueProblem) in
        .boolean(try BooleanText.parse(text))
    }

    /// A time span of at least `minimum`, or `infinity`.
    static func timeSpan(minimum: Duration = .zero) -> ValueKind {
        ValueKind { text, _ throws(ValueProblem) in
            guard let span = try TimeSpanText.parse(text) else { return .unlimited }
            guard span >= minimum else {
                throw ValueProblem("time span is too short, expected at least \(minimum)")
            }
            return .duration(span)
        }
    }

    /// A size in `range`, or also `infinity` if `isOptional`.
    package static func size(_ range: ClosedRange<UInt64> = 0...(.max), isOptional: Bool = false) -> ValueKind {
        ValueKind { text, _ throws(ValueProblem) in
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

    /// A decimal number in `range`, or also `infinity` if `isOptional`.
    package static func integer(_ range: ClosedRange<Int>, isOptional: Bool = false) -> ValueKind {
        ValueKind { text, _ throws(ValueProblem) in
            if isOptional, text.hasSameBytes(as: "infinity") { return .unlimited }
            return .integer(try IntegerText.parse(text, in: range))
        }
    }

    /// One of the given words.
    static func choice(_ words: [String]) -> ValueKind {
        ValueKind { text, _ throws(ValueProblem) in
            guard words.contains(where: text.hasSameBytes) else { throw ValueProblem(notOneOf: words, text) }
            return .text(UTF8Text(text))
        }
    }
}

/// Why a value or a key is invalid.
package nonisolated struct ValueProblem: Error, Sendable, Equatable {
    /// The message: lower case, no final stop.
    package let message: String
    /// The position in the value, in Unicode scalars from its beginning.
    package let offset: Int

    /// A problem at `offset`.
    package init(_ message: String, offset: Int = 0) {
        self.message = message
        self.offset = offset
    }

    /// `text` is none of the given words.
    init(notOneOf words: [String], _ text: String) {
        let list = words.map { "'\($0)'" }.joined(separator: ", ")
        let question = NearestName.question(text, in: words)
        self.init("expected one of \(list), not \(DisplayText.quoted(text))\(question)")
    }
}

/// The parsed value of a setting.
package nonisolated enum SettingValue: Sendable, Equatable {
    /// `yes` or `no`.
    case boolean(Bool)
    /// A time span.
    case duration(Duration)
    /// A number of bytes.
    case bytes(UInt64)
    /// A whole number.
    case integer(Int)
    /// Text that its kind has checked.
    case text(UTF8Text)
    /// The words of a list.
    case texts([UTF8Text])
    /// `infinity`, where the kind allows it.
    case unlimited

    /// The words of a list; nil for other values.
    var words: [UTF8Text]? { if case .texts(let words) = self { words } else { nil } }
}

nonisolated extension ValueKind {
    /// An absolute path.
    package static let path = ValueKind { text, _ throws(ValueProblem) in
        .text(UTF8Text(try AbsolutePath.parse(text)))
    }

    /// A list of absolute paths of directories other than '/', with specifiers and patterns.
    static let directories = ValueKind(isList: true) { text, _ throws(ValueProblem) in
        .texts(
            try words(of: text) { word throws(ValueProblem) in
                try Specifiers.check(word.text)
                return word.text
            })
    }

    /// A list of absolute paths.
    package static let paths = ValueKind(isList: true) { text, _ throws(ValueProblem) in
        .texts(try words(of: text) { word throws(ValueProblem) in try AbsolutePath.parse(word.text) })
    }

    /// The words of a list, each parsed. A problem is reported at its word.
    private static func words(
        of text: String, _ parse: (IniWords.Word) throws(ValueProblem) -> String
    ) throws(ValueProblem) -> [UTF8Text] {
        var parsed: [UTF8Text] = []
        for word in try IniWords.split(text) {
            do throws(ValueProblem) {
                parsed.append(UTF8Text(try parse(word)))
            } catch {
                throw ValueProblem(error.message, offset: word.offset + error.offset)
            }
        }
        return parsed
    }

    /// The path or the abstract name of a Unix socket.
    package static let socketPath = ValueKind { text, _ throws(ValueProblem) in
        .text(UTF8Text(try AbsolutePath.parseSocket(text)))
    }

    /// The name or number of a user or a group, which need not exist.
    package static let account = ValueKind { text, _ throws(ValueProblem) in
        let isBad = { (scalar: Unicode.Scalar) in
            IniText.isSpace(scalar) || IniText.isControl(scalar) || scalar == ":" || scalar == "/"
        }
        if let offset = Array(text.unicodeScalars).firstIndex(where: isBad) {
            throw ValueProblem("invalid user or group name \(DisplayText.quoted(text))", offset: offset)
        }
        return .text(UTF8Text(text))
    }

    /// A level of syslog(3), by name or number.
    static let logPriority = ValueKind { text, _ throws(ValueProblem) in
        guard let priority = LogPriority(text) else {
            let question = NearestName.question(text, in: LogPriority.names)
            let expected = "expected a log level from 'emerg' to 'debug' or 0 to 7"
            throw ValueProblem("\(expected), not \(DisplayText.quoted(text))\(question)")
        }
        return .text(UTF8Text(priority.name))
    }

    /// A list of notification names. A name that is almost one of Belfry's gets a warning.
    static let notificationNames = ValueKind(isList: true) {
        text, warnings throws(ValueProblem) in
        .texts(
            try words(of: text) { word throws(ValueProblem) in
                let name = try NotificationName.parse(word.text)
                if let known = NotificationName.nearMiss(name, of: NotificationName.known) {
                    let message = "no notification of Belfry's is named '\(name)', did you mean '\(known)'?"
                    warnings.append(ValueProblem(message, offset: word.offset))
                }
                return name
            })
    }

    /// The name of a notification to post.
    static let postedName = ValueKind { text, _ throws(ValueProblem) in
        let name = try NotificationName.name(text)
        guard !name.isTransition else {
            throw ValueProblem("'\(name)' belongs to a change of state and cannot be posted, use a name of your own")
        }
        return .text(UTF8Text(name.rawValue))
    }

    /// A list of listener names, which need not exist.
    static let listenerNames = ValueKind(isList: true) {
        text, _ throws(ValueProblem) in
        .texts(try IniWords.split(text).map { UTF8Text($0.text) })
    }

    /// What a signal does: an action, or a notification to post. A name that is almost one of either gets a warning.
    static let signalAction = ValueKind { text, warnings throws(ValueProblem) in
        let action = try SignalAction(text)
        if case .post(let posted) = action {
            let name = posted.rawValue
            if let near = NotificationName.nearMiss(name, of: SignalAction.names) {
                warnings.append(
                    ValueProblem("'\(name)' is taken as a notification name, did you mean the action '\(near)'?"))
            } else if let near = NotificationName.nearMiss(name, of: NotificationName.known) {
                warnings.append(ValueProblem("no notification of Belfry's is named '\(name)', did you mean '\(near)'?"))
            }
        }
        return .text(UTF8Text(action.description))
    }
}

/// Whole numbers in decimal digits.
nonisolated enum IntegerText {
    /// A number in `range`.
    ///
    /// - Throws: `ValueProblem` for anything else.
    static func parse<Number: FixedWidthInteger>(
        _ text: String, in range: ClosedRange<Number>
    ) throws(ValueProblem) -> Number {
        guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }) else {
            throw ValueProblem("expected a whole number, not \(DisplayText.quoted(text))")
        }
        guard let number = Number(text), range.contains(number) else {
            let bounds = "\(range.lowerBound) to \(range.upperBound)"
            throw ValueProblem("number \(DisplayText.quoted(text)) is out of range, expected \(bounds)")
        }
        return number
    }
}

/// Booleans in the syntax of systemd.syntax(7).
package nonisolated enum BooleanText {
    private static let words: [(text: String, value: Bool)] = [
        ("yes", true), ("y", true), ("true", true), ("t", true), ("on", true), ("1", true),
        ("no", false), ("n", false), ("false", false), ("f", false), ("off", false), ("0", false),
    ]

    /// `yes`, `true`, `on`, `1`, their opposites, and the single letters that systemd accepts; ASCII case is ignored.
    ///
    /// - Throws: `ValueProblem` for anything else.
    package static func parse(_ text: String) throws(ValueProblem) -> Bool {
        let lowered = text.utf8.lazy.map { (65...90).contains($0) ? $0 + 32 : $0 }
        guard let word = words.first(where: { lowered.elementsEqual($0.text.utf8) }) else {
            throw ValueProblem("expected 'yes' or 'no', not \(DisplayText.quoted(text))")
        }
        return word.value
    }
}
