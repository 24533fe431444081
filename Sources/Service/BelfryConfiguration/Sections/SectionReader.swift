// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Lifecycle

/// Reads the text of a value, and throws for text that is none.
typealias ValueParser<Value> = (String) throws(ValueProblem) -> Value

/// Reads the values of a section by their keys, and collects the problems. What has an error reads as if it were not
/// set.
///
/// To read a key is to declare it: a key that is set and not read is an error
/// (`SectionContent.reportUnknownKeys`). Assignments that do not count are checked too.
nonisolated final class SectionReader {
    /// The most words of a list.
    static let longestList = 1024

    var content: SectionContent
    private(set) var diagnostics = DiagnosticList()

    init(_ content: SectionContent) { self.content = content }

    /// A value that has a default, which is written as in a file.
    ///
    /// - Parameter doubt: a warning about a valid value.
    func value<Value>(
        _ key: String, _ parse: ValueParser<Value>, default text: String, doubt: (Value) -> String? = { _ in nil }
    ) -> Value {
        assigned(key, parse, default: text, doubt) ?? Self.parse(default: text, of: key, parse)
    }

    /// A value that need not be set; nil if it is not, or if it reads as nil.
    func optional<Value>(
        _ key: String, _ parse: ValueParser<Value?>, doubt: (Value?) -> String? = { _ in nil }
    ) -> Value? {
        assigned(key, parse, default: "", doubt) ?? nil
    }

    /// A value that must be set; nil if there is an error.
    func required<Value>(_ key: String, _ parse: ValueParser<Value>) -> Value? {
        let value = assigned(key, parse, default: "") { _ in nil }
        requireAssignment(of: key)
        return value
    }

    /// The words of a list. An empty assignment clears it.
    ///
    /// - Parameter text: the default; nil if the list must be set.
    func list<Element>(
        _ key: String, of parse: ValueParser<Element>, default text: String? = "",
        doubt: (Element) -> String? = { _ in nil }
    ) -> [Element] {
        let name = UTF8Text(key)
        content.read(name, isList: true, default: text ?? "")
        if text == nil { requireAssignment(of: key) }
        let all = content.all(name)
        guard let last = all.last else {
            return Self.parse(default: text ?? "", of: key) { text throws(ValueProblem) in
                try IniWords.split(text).map { word throws(ValueProblem) in try parse(word.text) }
            }
        }
        let words = all.map { entry in (check { () throws(SettingProblem) in try SettingText(entry).words() }) ?? [] }
        let elements = words.map { words in words.compactMap { read($0, parse, doubt) } }
            .suffix(content.counted(name).count).flatMap { $0 }
        if elements.count > Self.longestList {
            diagnostics.error(at: last.value.position, "list is longer than \(Self.longestList) words")
        }
        return elements
    }

    /// One of the values of an enumeration.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, default choice: Choice) -> Choice {
        value(
            key,
            { text throws(ValueProblem) in
                guard let choice = Choice.allCases.first(where: { $0.rawValue.hasSameBytes(as: text) }) else {
                    throw ValueProblem(notOneOf: Choice.allCases.map(\.rawValue), text)
                }
                return choice
            }, default: choice.rawValue)
    }

    /// A boolean in the syntax of systemd.syntax(7).
    func boolean(_ key: String, default value: Bool) -> Bool {
        self.value(key, BooleanText.parse, default: value ? "yes" : "no")
    }

    /// A whole number in a range.
    func integer<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>, default value: Number
    ) -> Number {
        self.value(key, { text throws(ValueProblem) in try IntegerText.parse(text, in: range) }, default: "\(value)")
    }

    /// A size in bytes in a range.
    func size(_ key: String, in range: ClosedRange<Int>, default text: String) -> Int {
        value(
            key,
            { text throws(ValueProblem) in
                guard let size = Int(exactly: try ByteSize(text).bytes), range.contains(size) else {
                    let bounds = "\(range.lowerBound) to \(range.upperBound)"
                    throw ValueProblem("size is out of range, expected \(bounds) bytes")
                }
                return size
            }, default: text)
    }

    /// The names of notifications. One that is almost one of Belfry's gets a warning.
    func names(_ key: String, default text: String?) -> [LifecycleNotification.Name] {
        list(key, of: NotificationName.name, default: text, doubt: NotificationName.doubt)
    }

    /// Adds an error at a key, or else at the beginning of the section.
    func error(at key: String, _ message: String) {
        guard let position = content.position(of: key) ?? content.position else { return }
        diagnostics.error(at: position, message)
    }

    /// Adds an error at each assignment of a key.
    func error(atAll key: UTF8Text, _ message: String) {
        for entry in content.all(key) { diagnostics.error(at: entry.key.position, message) }
    }

    /// The value of the last assignment; nil if that is empty, has an error, or does not exist.
    private func assigned<Value>(
        _ key: String, _ parse: ValueParser<Value>, default text: String, _ doubt: (Value) -> String?
    ) -> Value? {
        let name = UTF8Text(key)
        content.read(name, default: text)
        var value: Value?
        for entry in content.all(name) {
            value = entry.isEmpty ? nil : read(SettingText(entry), parse, doubt)
        }
        return value
    }

    private func read<Value>(
        _ text: SettingText, _ parse: ValueParser<Value>, _ doubt: (Value) -> String?
    ) -> Value? {
        guard let value = check({ () throws(SettingProblem) in try text.parse(parse) }) else { return nil }
        if let doubt = doubt(value) { diagnostics.warning(at: text.position, doubt) }
        return value
    }

    /// Adds an error.
    func add(_ problem: SettingProblem) { diagnostics.error(at: problem.position, problem.message) }

    private func check<Value>(_ body: () throws(SettingProblem) -> Value) -> Value? {
        do throws(SettingProblem) {
            return try body()
        } catch {
            add(error)
            return nil
        }
    }

    private func requireAssignment(of key: String) {
        guard let position = content.position, content.counted(UTF8Text(key)).isEmpty else { return }
        diagnostics.error(at: position, content.missing(key))
    }

    private static func parse<Value>(default text: String, of key: String, _ parse: ValueParser<Value>) -> Value {
        do throws(ValueProblem) {
            return try parse(text)
        } catch {
            fatalError("default of '\(key)': \(error.message)")  // a mistake in the code, found by any test
        }
    }
}

/// The text of a value, or of one word of a list, and its place.
nonisolated struct SettingText {
    let text: String
    private let entry: IniEntry
    private let offset: Int

    init(_ entry: IniEntry) { self.init(entry.value.string, 0, entry) }

    private init(_ text: String, _ offset: Int, _ entry: IniEntry) {
        self.text = text
        self.offset = offset
        self.entry = entry
    }

    var position: ConfigurationPosition { entry.value.position(at: offset) }

    /// The words of the value.
    func words() throws(SettingProblem) -> [SettingText] {
        try parse { text throws(ValueProblem) in
            try IniWords.split(text).map { SettingText($0.text, $0.offset, entry) }
        }
    }

    func parse<Value>(_ parse: ValueParser<Value>) throws(SettingProblem) -> Value {
        do throws(ValueProblem) {
            return try parse(text)
        } catch {
            throw problem(error)
        }
    }

    /// The error for this text.
    func problem(_ problem: ValueProblem) -> SettingProblem {
        SettingProblem(
            position: entry.value.position(at: offset + problem.offset),
            message: "invalid value of \(DisplayText.quoted(entry.key.string)): \(problem.message)")
    }
}

/// An error and its position.
nonisolated struct SettingProblem: Error {
    let position: ConfigurationPosition
    let message: String
}
