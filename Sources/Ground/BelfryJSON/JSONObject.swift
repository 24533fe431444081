// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The members of a JSON object, in their order. Names are unique, and compared as bytes.
///
/// An object that was parsed stays text until its members are used, and is written as the same text. Looking up a name
/// takes time in proportion to the size of the object.
public nonisolated struct JSONObject: Sendable {
    /// One member.
    public typealias Element = (key: String, value: JSONValue)

    /// One member, as it is stored.
    package struct Member {
        package let key: String
        package internal(set) var value: JSONValue
    }

    private enum Content {
        /// Valid JSON without white space between its parts. Reading it again cannot fail.
        case text([UInt8])
        case members([Member])
    }

    private var content: Content

    /// An object without members.
    public init() { content = .members([]) }

    /// An object with these members. Of members with the same name the last one wins.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        content = .members(Self.unique(members.map { Member(key: $0, value: $1) }))
    }

    /// An object with members that a parser has read.
    init(_ members: [Member]) { content = .members(members) }

    /// An object that a parser has validated.
    init(text: [UInt8]) { content = .text(text) }

    /// The JSON text; nil for an object that was made of members.
    var text: [UInt8]? { if case .text(let text) = content { text } else { nil } }

    /// The same as text, which takes no more memory than it has bytes. A list of values takes many times as much.
    package var asText: JSONObject {
        guard case .members(let members) = content, !members.isEmpty else { return self }
        var writer = JSONWriter()
        writer.write(self)
        return JSONObject(text: Array(writer.bytes))
    }

    /// How many bytes the text has; 0 for an object that was made of members.
    package var textSize: Int { text?.count ?? 0 }

    /// The members, which are parsed each time if the object is text.
    package var members: [Member] {
        switch content {
        case .members(let members): return members
        case .text(let text):
            var members: [Member] = []
            Self.read(text) { (key, parser) throws(JSONParseError) in
                members.append(Member(key: key.string, value: try parser.value()))
            }
            return members
        }
    }

    /// How many members there are.
    public var count: Int { members.count }

    /// Whether there are none.
    public var isEmpty: Bool {
        switch content {
        case .members(let members): members.isEmpty
        case .text(let text): text.count == 2
        }
    }

    /// The names, in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of that name. Setting nil removes the member.
    public subscript(key: String) -> JSONValue? {
        get {
            switch content {
            case .members(let members): return members.first { $0.key.hasSameBytes(as: key) }?.value
            case .text(let text):
                var found: JSONValue?
                Self.read(text) { (name, parser) throws(JSONParseError) in
                    if name.isSame(as: key) { found = try parser.value() } else { _ = try parser.skipValue() }
                }
                return found
            }
        }
        set {
            var members = members
            content = .members([])  // or the array would be copied
            switch (members.firstIndex { $0.key.hasSameBytes(as: key) }, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
            content = .members(members)
        }
    }

    private static func read(_ text: [UInt8], _ body: (JSONKey, inout JSONParser) throws(JSONParseError) -> Void) {
        text.withUnsafeBufferPointer { bytes in
            var parser = JSONParser(valid: bytes)
            try? parser.members(body)
        }
    }

    /// Whether two members have the same name. Quadratic, and for a few members faster than a dictionary.
    private static func hasDuplicates(_ members: [Member]) -> Bool {
        for place in members.indices.dropFirst() {
            for other in 0..<place where members[other].key.hasSameBytes(as: members[place].key) { return true }
        }
        return false
    }

    /// Of members with the same name the last one wins, at the place of the first.
    private static func unique(_ members: [Member]) -> [Member] {
        guard members.count > 1 else { return members }
        if members.count <= 8, !hasDuplicates(members) { return members }
        var places: [UTF8Text: Int] = [:]
        var unique: [Member] = []
        unique.reserveCapacity(members.count)
        for member in members {
            if let place = places[UTF8Text(member.key)] {
                unique[place] = member
            } else {
                places[UTF8Text(member.key)] = unique.count
                unique.append(member)
            }
        }
        return unique
    }
}

nonisolated extension JSONObject: Sequence {
    /// Visits the members in their order.
    public struct Iterator: IteratorProtocol {
        fileprivate var members: ArraySlice<Member>

        /// The next member; nil after the last one.
        public mutating func next() -> Element? { members.popFirst().map { ($0.key, $0.value) } }
    }

    /// The members, from the first one on.
    public func makeIterator() -> Iterator { Iterator(members: members[...]) }

    /// The members for which `isIncluded` is true.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        var kept = JSONObject()
        kept.content = .members(try members.filter { try isIncluded(($0.key, $0.value)) })
        return kept
    }

    /// Adds the members of another object. For a name that both have, `combine` gets the old value and the new one.
    public mutating func merge(
        _ other: JSONObject, uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows {
        for (key, value) in other { self[key] = try self[key].map { try combine($0, value) } ?? value }
    }

    /// This object with the members of another one; see `merge(_:uniquingKeysWith:)`.
    public func merging(
        _ other: JSONObject, uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows -> JSONObject {
        var merged = self
        try merged.merge(other, uniquingKeysWith: combine)
        return merged
    }
}

nonisolated extension JSONObject: Equatable {
    /// Objects are equal when they have the same members, in any order.
    public static func == (left: Self, right: Self) -> Bool {
        let (members, others) = (left.members, right.members)
        guard members.count == others.count else { return false }
        let values = Dictionary(others.map { (UTF8Text($0.key), $0.value) }) { _, last in last }
        return members.allSatisfy { values[UTF8Text($0.key)] == $0.value }
    }
}

nonisolated extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object with these members. Of members with the same name the last one wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        // `[:]` is the default of many parameters, also on the path of a post.
        self = elements.isEmpty ? JSONObject() : JSONObject(elements)
    }
}
