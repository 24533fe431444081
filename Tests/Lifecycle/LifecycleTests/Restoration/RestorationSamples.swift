// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// An archive with every kind of value.
nonisolated enum RestorationSample {
    static func archive() throws -> RestorationArchive {
        var archive = RestorationArchive()
        try archive.replace(value, version: 3, for: "player")
        try archive.replace(.null, version: -1, for: "Zürich/2")
        try archive.replace([1, [2, [3, [:]]]], version: .max, for: "socket")
        return archive
    }

    static let value: JSONValue = [
        "none": .null, "yes": true, "no": false, "small": -1, "big": .int(.min), "half": 0.5, "zero": -0.0,
        "text": "e\u{301} 👩‍👩‍👧 \0", "list": [1, "two", 3.0, []], "tree": ["a": ["b": ["c": .int(.max)]]],
    ]
}

/// Codable types of different shapes.
nonisolated enum RestorationShapes {
    struct Widths: Codable, Equatable {
        var int8 = Int8.min
        var int16 = Int16.min
        var int32 = Int32.min
        var int64 = Int64.min
        var int = Int.max
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64.max
        var uint = UInt.max
        var float = Float.leastNonzeroMagnitude
        var double = Double.greatestFiniteMagnitude
        var bool = true
        var string = "Zürich \0 👩‍👩‍👧"
    }

    struct Optionals: Codable, Equatable {
        var none: Int?
        var some: Int? = 5
        var list: [String?] = ["a", nil, "c"]
        var byName: [String: Int?] = ["none": nil, "one": 1]
    }

    enum Event: Codable, Equatable, Sendable {
        case idle
        case playing(track: String, at: Double)
        case failed(Int, String)
        indirect case after(Event)
    }

    enum Level: String, Codable, CodingKeyRepresentable {
        case low, high
    }

    struct Mixed: Codable, Equatable {
        var matrix = [[1, 2], [], [3]]
        var byNumber = [1: "one", -2: "minus two"]
        var byLevel = [Level.low: 0.5, .high: 2]
        var set: Set<String> = ["x", "y"]
        var range = 1..<9
        var pause = Duration.seconds(10) + .nanoseconds(1)
        var earlier = Duration.milliseconds(-1500)
        var events: [Event] = [.idle, .playing(track: "a.mp3", at: 1.5), .after(.after(.failed(3, "gone")))]
    }

    class Base: Codable {
        var id = 0
    }

    final class Derived: Base {
        var name = ""

        private enum CodingKeys: String, CodingKey { case name }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try super.encode(to: container.superEncoder())
        }
    }

    /// A list that encodes its elements in nested containers, the last in a super encoder.
    struct ByHand: Codable, Equatable {
        var first = Int64(7)
        var inner = "inner"
        var last = UInt64(9)

        private enum Keys: String, CodingKey { case inner, list }

        init() {}

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            first = try list.decode(Int64.self)
            guard try list.decodeNil() else { throw ShapeError() }
            let keyed = try list.nestedContainer(keyedBy: Keys.self)
            inner = try keyed.decode(String.self, forKey: .inner)
            var numbers = try keyed.nestedUnkeyedContainer(forKey: .list)
            guard try numbers.decode(UInt8.self) == 1, try numbers.decode(UInt8.self) == 2, numbers.isAtEnd else {
                throw ShapeError()
            }
            last = try list.superDecoder().singleValueContainer().decode(UInt64.self)
        }

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(first)
            try list.encodeNil()
            var keyed = list.nestedContainer(keyedBy: Keys.self)
            try keyed.encode(inner, forKey: .inner)
            var numbers = keyed.nestedUnkeyedContainer(forKey: .list)
            try numbers.encode(UInt8(1))
            var same = keyed.nestedUnkeyedContainer(forKey: .list)
            try same.encode(UInt8(2))
            var single = list.superEncoder().singleValueContainer()
            try single.encode(last)
        }
    }

    struct ShapeError: Error {}

    /// A chain of nested nodes.
    final class Chain: Codable {
        var next: Chain?

        init(length: Int) { next = length > 1 ? Chain(length: length - 1) : nil }
    }
}

/// A listener with a number and a text as its state, which counts how often it was restored.
final class RestoredListener: RestorableListener {
    nonisolated struct Kept: Codable, Sendable {
        var count: Int
        var text: String
    }

    let restorationIdentifier: String
    let restorableStateVersion: Int
    var count: Int
    var text = ""
    var encodingFailure: (any Error)?
    var decodingFailure: (any Error)?
    var migrates = false
    private(set) var decodings = 0

    init(_ identifier: String, version: Int = 1, count: Int = 0) {
        restorationIdentifier = identifier
        restorableStateVersion = version
        self.count = count
    }

    var name: String { "listener \(restorationIdentifier)" }
    var answers: [LifecycleAnswer] {}

    func encodeRestorableState() throws -> Kept {
        if let encodingFailure { throw encodingFailure }
        return Kept(count: count, text: text)
    }

    func migrateRestorableState(from decoder: any Decoder, version: Int) throws -> Kept {
        nonisolated struct Old: Decodable { var count: Int }
        guard migrates else { throw LifecycleRefusal("state of version \(version) is older than version 2") }
        return Kept(count: try Old(from: decoder).count, text: "of version \(version)")
    }

    func decodeRestorableState(_ state: Kept) throws {
        if let decodingFailure { throw decodingFailure }
        decodings += 1
        count = state.count
        text = state.text
    }
}
