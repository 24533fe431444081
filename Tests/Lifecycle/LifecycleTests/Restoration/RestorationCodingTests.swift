// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RestorationCodingTests {
    typealias Shapes = RestorationShapes

    private func returned<Value: Codable>(_ value: Value) throws -> Value {
        try JSONValueDecoder().decode(Value.self, from: JSONValueEncoder().encode(value))
    }

    @Test func everyShapeIsDecodedAsItWasEncoded() throws {
        #expect(try returned(Shapes.Widths()) == Shapes.Widths())
        #expect(try returned(Shapes.Optionals()) == Shapes.Optionals())
        #expect(try returned(Shapes.Mixed()) == Shapes.Mixed())
        #expect(try returned(Shapes.ByHand()) == Shapes.ByHand())
        #expect(try returned([[Int]: String]()) == [:])
        #expect(try returned([[1, 2]: "list", [3]: "other"]) == [[1, 2]: "list", [3]: "other"])
    }

    @Test(arguments: [
        Shapes.Event.idle, .playing(track: "", at: -0.0), .failed(.min, "x"), .after(.idle),
    ])
    func enumsWithPayloadAreDecoded(event: Shapes.Event) throws {
        #expect(try returned(event) == event)
    }

    @Test func singleValuesNeedNoContainer() throws {
        #expect(try returned(true) == true)
        #expect(try returned("") == "")
        #expect(try returned(UInt64.max) == .max)
        #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(Int128.min) }
        #expect(try returned(Int?.none) == nil)
        #expect(try returned(Int?.some(3)) == 3)
        #expect(try returned(-0.0).sign == .minus)
    }

    @Test func numbersThatJSONCannotExpressAreRefused() {
        for value in [Double.infinity, -.infinity, .nan] {
            #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(["key": value]) }
        }
        #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(Float.nan) }
    }

    @Test func encodedFormIsThatOfJSON() throws {
        #expect(
            try JSONValueEncoder().encode(Shapes.Optionals()) == [
                "some": 5, "list": ["a", .null, "c"], "byName": ["none": .null, "one": 1],
            ])
        #expect(
            try JSONValueEncoder().encode([Shapes.Event.playing(track: "a", at: 2)]) == [
                ["playing": ["track": "a", "at": 2.0]]
            ])
        #expect(try JSONValueEncoder().encode([2: true]) == ["2": true])
        #expect(try JSONValueEncoder().encode(UInt64(1) << 63) == "9223372036854775808")
    }

    @Test func superclassesAreEncoded() throws {
        let derived = Shapes.Derived()
        derived.id = 4
        derived.name = "n"

        let value = try JSONValueEncoder().encode(derived)
        let back = try JSONValueDecoder().decode(Shapes.Derived.self, from: value)

        #expect(value == ["name": "n", "super": ["id": 4]])
        #expect(back.id == 4 && back.name == "n")
    }

    @Test func typeThatEncodesNothingIsAnEmptyObject() throws {
        struct Nothing: Codable {
            init() {}
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws {}
        }

        #expect(try JSONValueEncoder().encode(Nothing()) == [:])
        #expect(try JSONValueEncoder().encode([Nothing()]) == [[:]])
    }

    @Test func lastValueOfAKeyCounts() throws {
        struct Twice: Encodable {
            enum Keys: CodingKey { case key }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(1, forKey: .key)
                try container.encode("two", forKey: .key)
            }
        }

        #expect(try JSONValueEncoder().encode(Twice()) == ["key": "two"])
    }

    @Test func randomTreesAreDecoded() throws {
        var generator = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let event = (0..<Int.random(in: 0..<20, using: &generator)).reduce(Shapes.Event.idle) { inner, _ in
                Bool.random(using: &generator)
                    ? .after(inner) : .failed(Int.random(in: .min ... .max, using: &generator), "e")
            }
            #expect(try returned([event, event]) == [event, event])
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct RestorationCodingErrorTests {
    nonisolated struct Window: Codable {
        var title: String
        var size: [Int8]
    }

    nonisolated struct Desk: Codable {
        var windows: [Window]
    }

    /// The kind of the error, the path and the reason, as one line.
    private func failure<Value: Decodable>(_ type: Value.Type, _ value: JSONValue) -> String {
        do {
            _ = try JSONValueDecoder().decode(type, from: value)
            return "decoded"
        } catch DecodingError.keyNotFound(let key, let context) {
            return "keyNotFound(\(key.stringValue)) \(line(context))"
        } catch DecodingError.valueNotFound(_, let context) {
            return "valueNotFound \(line(context))"
        } catch DecodingError.typeMismatch(_, let context) {
            return "typeMismatch \(line(context))"
        } catch DecodingError.dataCorrupted(let context) {
            return "dataCorrupted \(line(context))"
        } catch {
            return "\(error)"
        }
    }

    private func line(_ context: DecodingError.Context) -> String {
        context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
            + ": \(context.debugDescription)"
    }

    @Test func decodingErrorHasThePath() {
        let good: JSONValue = ["title": "a", "size": [1, 2]]

        #expect(failure(Desk.self, ["windows": [good, good]]) == "decoded")
        #expect(
            failure(Desk.self, ["windows": [good, ["title": "b", "size": [1, 300]]]])
                == "dataCorrupted windows/1/size/1: 300 does not fit Int8")
        #expect(
            failure(Desk.self, ["windows": [["size": []]]])
                == "keyNotFound(title) windows/0: no value for the key 'title'")
        #expect(
            failure(Desk.self, ["windows": [["title": .null, "size": []]]])
                == "valueNotFound windows/0/title: expected String, found null")
        #expect(failure(Desk.self, ["windows": 1]) == "typeMismatch windows: expected an array, found an integer")
        #expect(failure(Desk.self, ["windows": [7]]) == "typeMismatch windows/0: expected an object, found an integer")
        #expect(failure(Desk.self, .null) == "valueNotFound : expected an object, found null")
    }

    @Test func numbersAreNotTruncated() {
        #expect(failure(UInt8.self, 256) == "dataCorrupted : 256 does not fit UInt8")
        #expect(failure(UInt8.self, -1) == "dataCorrupted : -1 does not fit UInt8")
        #expect(failure(UInt64.self, -1) == "dataCorrupted : -1 does not fit UInt64")
        #expect(failure(Int32.self, 2_147_483_648) == "dataCorrupted : 2147483648 does not fit Int32")
        #expect(failure(Int.self, 1.0) == "typeMismatch : expected Int, found a floating-point number")
        #expect(failure(Double.self, 9_007_199_254_740_993) == "dataCorrupted : 9007199254740993 does not fit Double")
        #expect(failure(Double.self, 3) == "decoded")
        #expect(failure(Float.self, 1e300) == "dataCorrupted : 1e+300 does not fit Float")
        #expect(failure(Bool.self, 1) == "typeMismatch : expected Bool, found an integer")
    }

    @Test(arguments: ["5", "+9223372036854775808", "09223372036854775808", "", "18446744073709551616", "x"])
    func digitsAreUsedOnlyForNumbersBeyondInt(digits: String) {
        #expect(failure(UInt64.self, .string(digits)) == "typeMismatch : expected UInt64, found a string")
        #expect(failure(Int64.self, .string(digits)) == "typeMismatch : expected Int64, found a string")
    }

    @Test func readingPastTheEndIsAnError() {
        struct Three: Decodable {
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                for _ in 0..<3 { _ = try list.decode(Int.self) }
            }
        }

        #expect(failure(Three.self, [1, 2]) == "valueNotFound 2: the array has only 2 elements")
        #expect(failure(Three.self, [1, "x", 3]) == "typeMismatch 1: expected Int, found a string")
    }

    @Test func missingSuperclassThrows() {
        #expect(
            failure(RestorationShapes.Derived.self, ["name": "n"])
                == "valueNotFound super: expected an object, found null")
    }

    @Test func twoKindsOfContainerInOnePlaceAreRefused() {
        struct Torn: Encodable {
            enum Keys: CodingKey { case key }
            func encode(to encoder: any Encoder) throws {
                var keyed = encoder.container(keyedBy: Keys.self)
                try keyed.encode(1, forKey: .key)
                var list = encoder.unkeyedContainer()
                try list.encode(2)
            }
        }
        struct Double: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(1)
                try single.encode(2)
            }
        }

        #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(["torn": Torn()]) }
        #expect(throws: EncodingError.self) { try JSONValueEncoder().encode([Double()]) }
    }

    @Test func depthEndsAtTheLimit() throws {
        let encoder = JSONValueEncoder(maximumDepth: 8)

        #expect(throws: Never.self) { try encoder.encode(RestorationShapes.Chain(length: 8)) }
        #expect(throws: EncodingError.self) { try encoder.encode(RestorationShapes.Chain(length: 9)) }
    }

    @Test func cyclesEndAtTheLimit() {
        let chain = RestorationShapes.Chain(length: 1)
        chain.next = chain
        defer { chain.next = nil }

        #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(chain) }
    }

    @Test func unclosedContainersAreRefused() {
        struct Endless: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                for _ in 0..<100_000 { list = list.nestedUnkeyedContainer() }
            }
        }

        #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(Endless()) }
    }
}
