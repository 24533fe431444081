// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The decoder of one value of a section, or of one word of a list.
nonisolated struct SettingDecoder: Decoder, SingleValueDecodingContainer {
    let section: SectionDecoder
    let key: UTF8Text
    /// The assignments that count, none if the key is not set; or one word.
    let texts: [SettingText]
    let isWord: Bool
    let codingPath: [any CodingKey] = []

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Whether the key is not set.
    var isEmpty: Bool { texts.isEmpty }

    func decodeNil() -> Bool { isEmpty }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func container<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        throw problem("the service asks for a value of several keys, which a file cannot have")
    }

    /// The words of all assignments. A list that is not set is empty.
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard !isWord else { throw problem("the service asks for a list in a list, which a file cannot have") }
        section.section.content.read(key, isList: true, default: nil)
        let words = try texts.flatMap { try $0.words() }
        guard words.count <= SectionReader.longestList else {
            throw problem("list is longer than \(SectionReader.longestList) words")
        }
        return SettingWords(
            words: words.map { SettingDecoder(section: section, key: key, texts: [$0], isWord: true) }, end: self)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let value = try scalar(type) as? Value { return value }
        do {
            return try type.init(from: self)
        } catch {
            throw problem(error, decoding: type)
        }
    }

    /// An error about this value.
    func problem(_ message: String) -> SettingProblem { problem(ValueProblem(DisplayText.line(message))) }

    private func problem(_ problem: ValueProblem) -> SettingProblem {
        texts.last?.problem(problem)
            ?? SettingProblem(position: section.position, message: "invalid value of '\(key)': \(problem.message)")
    }

    /// The value of a type that does not decode itself; nil for one that does.
    private func scalar(_ type: Any.Type) throws(SettingProblem) -> Any? {
        guard let parse = SettingScalar.parser(of: type) else { return nil }
        guard let text = texts.last else {
            throw SettingProblem(position: section.position, message: section.section.content.missing(key.string))
        }
        return try text.parse(parse)
    }

    /// The error for one of a type that decodes itself.
    private func problem(_ error: any Error, decoding type: Any.Type) -> SettingProblem {
        switch error {
        case let error as SettingProblem: error
        case let error as DecodingError:
            if let text = texts.last?.text, let choices = Self.choices(of: type) {
                problem(ValueProblem(notOneOf: choices, text))
            } else {
                problem(error.context.debugDescription)
            }
        default: problem("\(error)")
        }
    }

    /// The values of an enumeration of strings that lists its cases.
    private static func choices(of type: Any.Type) -> [String]? {
        func names<Choices: RawRepresentable & CaseIterable>(_ type: Choices.Type) -> [String]? {
            let names = type.allCases.compactMap { $0.rawValue as? String }
            return names.isEmpty ? nil : names
        }
        return (type as? any (RawRepresentable & CaseIterable).Type).flatMap { names($0) }
    }
}

/// The words of a list, one after the other.
nonisolated struct SettingWords: UnkeyedDecodingContainer {
    let words: [SettingDecoder]
    /// The list itself, for errors.
    let end: SettingDecoder
    let codingPath: [any CodingKey] = []
    private(set) var currentIndex = 0

    var count: Int? { words.count }
    var isAtEnd: Bool { currentIndex >= words.count }

    func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> SettingDecoder {
        guard !isAtEnd else { throw end.problem("expected more than \(words.count) words") }
        defer { currentIndex += 1 }
        return words[currentIndex]
    }
}

/// Reads the types that do not decode themselves: their text has the syntax of systemd, or their own `init(from:)`
/// expects another form.
private nonisolated enum SettingScalar {
    /// The parser for a type; nil for a type that decodes itself.
    static func parser(of type: Any.Type) -> ValueParser<Any>? {
        if type == String.self { return { text throws(ValueProblem) in text } }
        if type == Bool.self { return BooleanText.parse }
        if type == ByteSize.self { return { text throws(ValueProblem) in try ByteSize(text) } }
        if type == Duration.self { return duration }
        if let type = type as? any FixedWidthInteger.Type {
            return { text throws(ValueProblem) in try integer(text, as: type) }
        }
        if let type = type as? any (BinaryFloatingPoint & LosslessStringConvertible).Type {
            return { text throws(ValueProblem) in try number(text, as: type) }
        }
        return nil
    }

    private static func duration(_ text: String) throws(ValueProblem) -> Any {
        guard let span = try TimeSpanText.parse(text) else {
            throw ValueProblem("expected a time span, it cannot be 'infinity'")
        }
        return span
    }

    private static func integer<Number: FixedWidthInteger>(
        _ text: String, as type: Number.Type
    ) throws(ValueProblem) -> Any {
        try IntegerText.parse(text, in: Number.min...Number.max)
    }

    private static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ text: String, as type: Number.Type
    ) throws(ValueProblem) -> Any {
        // Not `nan`, `inf` or hexadecimal digits.
        guard text.utf8.allSatisfy({ (48...57).contains($0) || "+-.eE".utf8.contains($0) }), let number = Number(text),
            number.isFinite
        else { throw ValueProblem("expected a number, not \(DisplayText.quoted(text))") }
        return number
    }
}
