// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The members of a JSON object, in the order in which they came. Names are unique.
public nonisolated struct JSONObject: Sendable {
    /// One member.
    public typealias Element = (key: String, value: JSONValue)

    struct Member {
        let key: String
        var value: JSONValue
    }

    private(set) var members: [Member] = []

    /// Where a name is; kept only for objects too large to be searched from the front.
    private var index: [String: Int]?
    private static let searchable = 16

    /// An object without members.
    public init() {}

    /// An object with these members; of those with the same name the last one wins.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.members.reserveCapacity(members.underestimatedCount)
        for (key, value) in members { self[key] = value }
    }

    /// An object without members, and with room for so many.
    package init(minimumCapacity: Int) { members.reserveCapacity(minimumCapacity) }

    /// The names, in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of that name. Setting nil removes the member.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): remove(at: position)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    private func position(of key: String) -> Int? {
        guard let index else {
            for position in members.indices where members[position].key == key { return position }
            return nil
        }
        return index[key]
    }

    /// Adds a member of a name that the object does not have yet.
    package mutating func append(_ key: String, _ value: JSONValue) {
        if members.isEmpty { members.reserveCapacity(4) }
        members.append(Member(key: key, value: value))
        if index != nil { index?[key] = members.count - 1 } else { makeIndex() }
    }

    private mutating func remove(at position: Int) {
        members.remove(at: position)
        index = nil
        makeIndex()
    }

    private mutating func makeIndex() {
        guard members.count > Self.searchable else { return }
        index = Dictionary(uniqueKeysWithValues: members.indices.map { (members[$0].key, $0) })
    }
}

nonisolated extension JSONObject: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of members.
    public var endIndex: Int { members.count }
    /// The member at a position.
    public subscript(position: Int) -> Element { (members[position].key, members[position].value) }
}

nonisolated extension JSONObject: Equatable {
    /// Objects are equal when they have the same members, in whatever order.
    public static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }
}

nonisolated extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object with these members; of those with the same name the last one wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
