// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The shapes that Codable types have.
nonisolated enum RestorationShapes {
    struct Widths: Codable, Equatable {
        var int8 = Int8.min
        var int16 = Int16.min
        var int32 = Int32.min
        var int64 = Int64.min
        var int128 = Int128.min
        var int = Int.max
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64.max
        var uint128 = UInt128.max
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

    /// A list whose elements lie in containers that it opens itself, the last in a super encoder.
    struct ByHand: Codable, Equatable {
        var first = Int128(7)
        var inner = "inner"
        var last = UInt128(9)

        private enum Keys: String, CodingKey { case inner, list }

        init() {}

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            first = try list.decode(Int128.self)
            guard try list.decodeNil() else { throw ShapeError() }
            let keyed = try list.nestedContainer(keyedBy: Keys.self)
            inner = try keyed.decode(String.self, forKey: .inner)
            var numbers = try keyed.nestedUnkeyedContainer(forKey: .list)
            guard try numbers.decode(UInt8.self) == 1, try numbers.decode(UInt8.self) == 2, numbers.isAtEnd else {
                throw ShapeError()
            }
            last = try list.superDecoder().singleValueContainer().decode(UInt128.self)
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

    /// A list of nodes in each other, as deep as one likes.
    final class Chain: Codable {
        var next: Chain?

        init(length: Int) { next = length > 1 ? Chain(length: length - 1) : nil }
    }
}
